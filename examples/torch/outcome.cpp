#include "outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "chart.hpp"

namespace trainer {
namespace {

void write(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

// Rounded, because 3 * 0.2 would print sixteen digits.
std::vector<double> ticks(double end, int count) {
  auto at = weir::bench::ticks(end, count);
  for (auto& tick : at) tick = std::round(tick * 1e6) / 1e6;
  return at;
}

}  // namespace

double Confusion::accuracy() const {
  std::uint64_t right = 0, all = 0;
  for (std::size_t is = 0; is < counts_.size(); ++is)
    for (std::size_t taken_for = 0; taken_for < counts_.size(); ++taken_for) {
      all += counts_[is][taken_for];
      if (is == taken_for) right += counts_[is][taken_for];
    }
  return all == 0 ? 0 : 100 * static_cast<double>(right) / static_cast<double>(all);
}

std::string Confusion::text(const std::vector<std::string>& names) const {
  auto text = fmt::format("{:>12} taken for\n{:>12}", "", "is");
  for (const auto& name : names) text += fmt::format(" {:>5.5}", name);
  text += "   right\n";
  for (std::size_t is = 0; is < counts_.size(); ++is) {
    std::uint64_t all = 0;
    text += fmt::format("{:>12.12}", names[is]);
    for (const auto count : counts_[is]) {
      all += count;
      text += count == 0 ? fmt::format(" {:>5}", ".") : fmt::format(" {:>5}", count);
    }
    const auto right = static_cast<double>(counts_[is][is]);
    text += all == 0 ? "\n" : fmt::format("  {:4.0f} %\n", 100 * right / static_cast<double>(all));
  }
  return text;
}

std::vector<double> LossCurve::means(std::size_t parts) const {
  std::vector<double> found;
  parts = std::min(parts, losses.size());
  for (std::size_t part = 0; part < parts; ++part) {
    const auto first = losses.size() * part / parts, end = losses.size() * (part + 1) / parts;
    double sum = 0;
    for (auto i = first; i < end; ++i) sum += losses[i];
    found.push_back(sum / static_cast<double>(end - first));
  }
  return found;
}

std::string LossCurve::text() const {
  constexpr std::size_t columns = 60, rows = 10;
  const auto curve = means(columns);
  if (curve.empty()) return {};
  const auto [least, most] = std::ranges::minmax(curve);
  const auto span = std::max(most - least, 1e-9);
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto at = most - span * static_cast<double>(row) / (rows - 1);
    text += fmt::format("{:7.3f} |", at);
    for (const auto loss : curve)
      text += std::lround((most - loss) / span * (rows - 1)) == static_cast<long>(row) ? '*' : ' ';
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text + fmt::format("{:>7} +{:-<{}}\n{:>9}1{:>{}}\n", "loss", "", curve.size(), "",
                            fmt::format("step {}", losses.size()), curve.size() - 1);
}

void LossCurve::write_csv(const std::string& path) const {
  std::string text = "step,epoch,loss\n";
  for (std::size_t i = 0; i < losses.size(); ++i)
    text +=
        fmt::format("{},{:.4f},{:.9g}\n", i + 1,
                    static_cast<double>(i + 1) / static_cast<double>(steps_per_epoch), losses[i]);
  write(path, text);
}

void LossCurve::write_svg(const std::string& path) const {
  const auto epochs = static_cast<double>(losses.size()) / static_cast<double>(steps_per_epoch);
  const auto most = *std::ranges::max_element(losses);
  weir::bench::Chart chart(
      760, 420, "Loss of a small ResNet",
      {"cross entropy: each step as a dot, the mean of forty stretches as a line"});
  weir::bench::Series series{.name = "loss", .colour = "#0072b2"};
  for (std::size_t i = 0; i < losses.size(); ++i)
    series.dots.push_back(
        {(static_cast<double>(i) + 0.5) / static_cast<double>(steps_per_epoch), losses[i]});
  const auto line = means(40);
  for (std::size_t i = 0; i < line.size(); ++i)
    series.line.push_back(
        {epochs * (static_cast<double>(i) + 0.5) / static_cast<double>(line.size()), line[i]});
  chart.draw(weir::bench::Panel{.title = "mean loss of a batch",
                                .x_title = "epochs",
                                .left = 70,
                                .top = 110,
                                .width = 620,
                                .height = 240,
                                .x_end = epochs,
                                .y_end = most * 1.05,
                                .x_ticks = ticks(epochs, 8),
                                .y_ticks = ticks(most * 1.05, 5),
                                .series = {series}});
  write(path, chart.svg());
}

}  // namespace trainer
