#include "output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "chart.hpp"

namespace focal {
namespace {

double share_of_samples(std::size_t point) {
  return static_cast<double>(point) / static_cast<double>(points - 1);
}

double mean_loss(const Curves& curves, std::size_t is_positive, std::size_t g) {
  return curves.of[is_positive][g].total / static_cast<double>(curves.samples[is_positive]);
}

/// The share of the hardest tenth of the samples in the total loss.
double hardest_tenth(const Curve& curve) { return 1 - curve.share[points - 1 - (points - 1) / 10]; }

}  // namespace

std::string csv_header() { return "precision,class,gamma,alpha,share_of_samples,share_of_loss\n"; }

std::string csv(const Curves& curves, std::string_view precision, double alpha) {
  std::string text;
  for (const auto is_positive : positives_first)
    for (std::size_t g = 0; g < gammas.size(); ++g)
      for (std::size_t point = 0; point < points; ++point)
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{:.17g}\n", precision,
                       is_positive == 1 ? "positive" : "negative", gammas[g], alpha,
                       share_of_samples(point), curves.of[is_positive][g].share[point]);
  return text;
}

std::string picture(const Curves& curves, std::string_view subtitle) {
  constexpr std::array colours{"#9aa0a6", "#56b4e9", "#0072b2", "#c84f00", "#5c2d91"};
  weir::bench::Chart chart(900, 470, "Focal loss: which samples the loss comes from",
                           {std::string(subtitle)});
  for (const auto is_positive : positives_first) {
    weir::bench::Panel panel{
        .title = fmt::format("share of the loss of {} {}", curves.samples[is_positive],
                             is_positive == 1 ? "positives" : "negatives"),
        .x_title = "share of the samples, the easiest first",
        .left = is_positive == 1 ? 70.0 : 510.0,
        .top = 120,
        .width = 350,
        .height = 280,
        .x_ticks = {0, 0.2, 0.4, 0.6, 0.8, 1},
        .y_ticks = {0, 0.2, 0.4, 0.6, 0.8, 1},
        .legend = true};
    for (std::size_t g = 0; g < gammas.size(); ++g) {
      weir::bench::Series series{.name = fmt::format("γ = {}", gammas[g]), .colour = colours[g]};
      for (std::size_t point = 0; point < points; ++point)
        series.line.push_back({share_of_samples(point), curves.of[is_positive][g].share[point]});
      panel.series.push_back(std::move(series));
    }
    chart.draw(panel);
  }
  return chart.svg();
}

void print_losses(const Curves& curves, double alpha) {
  fmt::print("\nfocal loss, alpha {}\n{:>6} {:>18} {:>18} {:>18} {:>30}\n", alpha, "",
             "mean loss of", "mean loss of", "positives have", "the hardest 10 % have");
  fmt::print("{:>6} {:>18} {:>18} {:>18} {:>30}\n", "gamma",
             fmt::format("{} positives", curves.samples[1]),
             fmt::format("{} negatives", curves.samples[0]), "of all loss",
             "of positives' / negatives'");
  for (std::size_t g = 0; g < gammas.size(); ++g) {
    const auto &positives = curves.of[1][g], &negatives = curves.of[0][g];
    fmt::print("{:>6} {:>18.6g} {:>18.6g} {:>16.1f} % {:>30}\n", gammas[g], mean_loss(curves, 1, g),
               mean_loss(curves, 0, g), 100 * positives.total / (positives.total + negatives.total),
               fmt::format("{:.1f} % / {:.1f} %", 100 * hardest_tenth(positives),
                           100 * hardest_tenth(negatives)));
  }
}

void print_errors(const Curves& reduced, const Curves& exact, const char* name, double logits) {
  fmt::print("\n{}: input, logits and losses rounded to it; largest error of a logit {:.2g}\n",
             name, logits);
  fmt::print("{:>6} {:>34} {:>30} {:>26}\n", "gamma", "error of the mean loss",
             "curves are apart by at most", "losses that became 0");
  for (std::size_t g = 0; g < gammas.size(); ++g) {
    std::array<std::string, 3> cells;
    for (const auto c : positives_first) {
      const auto slash = c == 1 ? "" : " / ";
      const auto wanted = mean_loss(exact, c, g);
      cells[0] += fmt::format("{}{:+.2e}", slash, mean_loss(reduced, c, g) / wanted - 1);
      double apart = 0;
      for (std::size_t p = 0; p < points; ++p)
        apart = std::max(apart, std::fabs(reduced.of[c][g].share[p] - exact.of[c][g].share[p]));
      cells[1] += fmt::format("{}{:.2e}", slash, apart);
      cells[2] += fmt::format("{}{}", slash, reduced.zeros[c][g]);
    }
    fmt::print("{:>6} {:>34} {:>30} {:>26}\n", gammas[g], cells[0], cells[1], cells[2]);
  }
}

void print_memory(const char* name, const weir::MemorySnapshot& memory) {
  const auto own = memory.accounts_at_peak[static_cast<std::size_t>(weir::Account::cache)];
  fmt::print("{:>22} {:>14} {:>14} {:>14}\n", name, memory.peak, memory.peak - own, own);
}

}  // namespace focal
