// Draws the measurements of `./dev bench tune FOLDER --json CASES.json`, one row for each regime:
// draw_regimes CASES.json OUT writes OUT.svg and OUT.json. OUT.json has one case in each line and
// draws the same picture.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "chart.hpp"

namespace {

using namespace weir::bench;
using Json = nlohmann::ordered_json;

constexpr auto ink = "#1f2328", faint = "#59636e";
constexpr auto blue = "#0072b2", vermilion = "#c84f00", green = "#00795a", purple = "#8a3f7c",
               grey = "#6e7781";
constexpr int row_height = 214, head_height = 150, width = 1000;
constexpr double bars_left = 660, bars_width = 310;

/// The regimes in the order in which the text explains them, and the case that shows each.
const std::vector<std::pair<std::string, std::string>> shown{
    {"decode", "consumer 0.25x"},
    {"consumer", "consumer 4x"},
    {"balanced", "consumer 1x"},
    {"storage", "reads of 50 ms"},
    {"memory", "reads of 50 ms, a budget of 19 MiB"}};

const Json& case_of(const Json& cases, const std::string& name) {
  for (const auto& one : cases) {
    if (one["case"] == name) return one;
  }
  throw std::runtime_error("no case " + name);
}

/// One line for each number of workers, or of outstanding reads if the case varies those.
std::vector<Series> measured_and_predicted(const Json& one) {
  struct Line {
    Series measured, predicted;
  };
  std::map<std::pair<int, int>, Line> lines;
  bool reads = false;
  for (const auto& row : one["rows"]) {
    if (!row["setting"].is_array()) continue;
    const int workers = row["setting"][1], read_ahead = row["setting"][2];
    const double depth = row["setting"][0];
    reads = reads || read_ahead > 0;
    auto& line = lines[{workers, read_ahead}];
    for (const double rate : row["rates"]) line.measured.dots.push_back({depth, rate});
    line.measured.line.push_back({depth, row["measured"]});
    line.predicted.line.push_back({depth, row["predicted"]});
  }
  const std::vector<std::string> colours{vermilion, blue, green, purple, ink};
  std::vector<Series> series;
  for (auto& [setting, line] : lines) {
    const auto& colour = colours[series.size() / 2 % colours.size()];
    line.measured.name =
        reads ? fmt::format("{} ahead", setting.second)
              : fmt::format("{} worker{}", setting.first, setting.first == 1 ? "" : "s");
    line.measured.colour = line.predicted.colour = colour;
    line.predicted.dashed = line.predicted.thin = true;
    if (line.measured.line.size() == 1) {  // one depth: a short, visible mark
      for (auto* const one_point : {&line.measured.line, &line.predicted.line}) {
        const auto at = one_point->front();
        *one_point = {{at.x - 0.6, at.y}, {at.x + 0.6, at.y}};
      }
    }
    series.push_back(std::move(line.predicted));
    series.push_back(std::move(line.measured));
  }
  return series;
}

void draw_row(Chart& chart, const Json& one, double top, bool last) {
  const auto series = measured_and_predicted(one);
  double most = 0, deepest = 0;
  for (const auto& line : series) {
    for (const auto point : line.line) {
      most = std::max(most, point.y);
      deepest = std::max(deepest, point.x);
    }
  }
  std::vector<double> depths;
  for (const double depth : {1, 2, 4, 8, 16}) {
    if (depth <= deepest) depths.push_back(depth);
  }
  chart.draw(Panel{.title = fmt::format("{}: {}, images/s", one["regime"].get<std::string>(),
                                        one["case"].get<std::string>()),
                   .x_title = last ? "max_queue_size, batches" : "",
                   .left = 70,
                   .top = top,
                   .width = 440,
                   .height = 122,
                   .x_end = deepest + 0.5,
                   .y_end = most * 1.12,
                   .x_ticks = depths,
                   .y_ticks = ticks(most * 1.12, 4),
                   .series = series});

  const auto& parts = one["shares"];
  const double storage = parts["storage"], decode = parts["decode"], memory = parts["memory"],
               idle = parts["producers"],
               reads = parts.value("reads", 0.0) + parts.value("reading", 0.0),
               budget = parts.value("budget", 0.0);
  const auto small = fmt::format("font-size=\"12\" fill=\"{}\"", faint);
  chart.text(bars_left, top + 12, "the consumer's time", small);
  chart.draw(Bar{bars_left,
                 top + 18,
                 bars_width,
                 20,
                 {{vermilion, storage},
                  {blue, decode},
                  {purple, memory},
                  {grey, std::max(0.0, 1 - storage - decode - memory)}}});
  chart.text(bars_left, top + 60, "the workers' time", small);
  chart.draw(Bar{bars_left,
                 top + 66,
                 bars_width,
                 20,
                 {{vermilion, reads},
                  {purple, budget},
                  {green, idle},
                  {grey, std::max(0.0, 1 - reads - budget - idle)}}});
  // Only the three options that the advice changes.
  auto advised = one["flags"].get<std::string>();
  advised = advised.substr(0, advised.find(" --memory-budget"));
  chart.text(bars_left, top + 110, "advised: " + advised,
             fmt::format("font-size=\"11\" fill=\"{}\"", ink));
}

void draw_legend(Chart& chart) {
  const std::vector<std::pair<std::string, std::string>> entries{{vermilion, "waiting for reads"},
                                                                 {blue, "for decoding"},
                                                                 {purple, "for memory"},
                                                                 {green, "for a queue slot"},
                                                                 {grey, "at work"}};
  double x = 28;
  for (const auto& [colour, words] : entries) {
    chart.draw(Bar{x, 92, 12, 12, {{colour, 1}}});
    chart.text(x + 18, 103, words, fmt::format("font-size=\"13\" fill=\"{}\"", ink));
    x += 44 + 7.2 * static_cast<double>(words.size());
  }
}

std::string picture(const Json& cases) {
  const auto runs = cases[0]["rows"][0]["rates"].size();
  Chart chart(
      width, head_height + row_height * static_cast<int>(shown.size()) - 20,
      "What limits a run, and how its settings change that",
      {fmt::format("Solid: measured, medians of {} interleaved runs (dots). Dashed: predicted "
                   "from one run of a second or two.",
                   runs)});
  draw_legend(chart);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    draw_row(chart, case_of(cases, shown[i].second),
             head_height + row_height * static_cast<double>(i), i + 1 == shown.size());
  }
  return chart.svg();
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text).flush()) throw std::runtime_error("cannot write " + path);
}

std::string one_case_a_line(const Json& cases) {
  std::string text = "[";
  for (const auto& one : cases) text += (text.size() == 1 ? "\n" : ",\n") + one.dump();
  return text + "]\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: draw_regimes CASES.json OUT: writes OUT.svg and OUT.json\n";
    return 2;
  }
  try {
    std::ifstream file(argv[1], std::ios::binary);
    const auto cases = Json::parse(file);
    const std::string out = argv[2];
    write(out + ".svg", picture(cases));
    write(out + ".json", one_case_a_line(cases));
  } catch (const std::exception& e) {
    std::cerr << "draw_regimes: " << e.what() << '\n';
    return 1;
  }
}
