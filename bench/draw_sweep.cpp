// Draws the measurements of `weir sweep --json`: draw_sweep SWEEP.json OUT writes OUT.svg and
// OUT.json. OUT.json has one run in each line and draws the same picture.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <functional>
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
using Measure = std::function<double(const Json& run)>;

constexpr double mebibyte = 1 << 20;
constexpr auto blue = "#0072b2", vermilion = "#c84f00", green = "#00795a";

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Series measured(const Json& runs, const Measure& measure) {
  Series series;
  std::map<double, std::vector<double>> by_depth;
  for (const auto& run : runs) {
    const double depth = run["plan"]["max_queue_size"];
    series.dots.push_back({depth, measure(run)});
    by_depth[depth].push_back(series.dots.back().y);
  }
  for (auto& [depth, values] : by_depth) series.line.push_back({depth, median(std::move(values))});
  return series;
}

double staging(const Json& run) { return run["memory"]["staging"].get<double>() / mebibyte; }
double as_float32(const Json& run) {
  return run["predicted"]["float32_bytes"].get<double>() / mebibyte;
}
double samples_per_s(const Json& run) { return run["throughput"]["samples_per_s"]; }
double readiness(const Json& run) { return 100 * run["queue"]["data_readiness"].get<double>(); }

std::vector<std::string> subtitle(const Json& sweep, std::size_t depths) {
  const auto& runs = sweep["runs"];
  const auto& plan = runs[0]["plan"];
  const auto& shape = plan["shape"];
  return {fmt::format(
              "Batches of {} images of {}×{}×{}; {} workers; the consumer takes {} ms a batch.",
              plan["batch"].get<int>(), shape[0].get<int>(), shape[1].get<int>(),
              shape[2].get<int>(), plan["workers"].get<int>(), sweep["consumer_ms"].get<double>()),
          fmt::format("Each point is the median of {} runs of {} images; faint dots are the runs.",
                      runs.size() / depths, runs[0]["samples"]["consumed"].get<int>())};
}

std::string picture(const Json& sweep) {
  const auto& runs = sweep["runs"];
  auto bytes = measured(runs, staging), floats = measured(runs, as_float32);
  auto speed = measured(runs, samples_per_s), ready = measured(runs, readiness);
  bytes.name = "held, as uint8";
  bytes.colour = blue;
  bytes.label_decimals = 0;
  floats.name = "were it float32";
  floats.colour = vermilion;
  floats.dashed = true;
  floats.label_decimals = 0;
  speed.colour = ready.colour = green;
  speed.label_decimals = ready.label_decimals = 0;

  std::vector<double> depths;
  double fastest = 0;
  for (const auto& point : speed.line) {
    depths.push_back(point.x);
    fastest = std::max(fastest, point.y);
  }
  const auto x_end = depths.back() + 0.5, most_bytes = floats.line.back().y * 1.08,
             most_speed = fastest * 1.3;
  const std::string x_title = "max_queue_size, batches";

  Chart chart(1000, 520, "Cost and effect of each queue slot", subtitle(sweep, depths.size()));
  chart.draw({.title = "Memory held for batches, MiB",
              .x_title = x_title,
              .left = 70,
              .top = 140,
              .width = 370,
              .height = 310,
              .x_end = x_end,
              .y_end = most_bytes,
              .x_ticks = depths,
              .y_ticks = ticks(most_bytes, 5),
              .series = {floats, bytes}});
  chart.draw({.title = "Throughput, images/s",
              .left = 620,
              .top = 140,
              .width = 350,
              .height = 115,
              .x_end = x_end,
              .y_end = most_speed,
              .y_ticks = ticks(most_speed, 5),
              .series = {speed}});
  chart.draw({.title = "Data readiness, % of steps",
              .x_title = x_title,
              .left = 620,
              .top = 325,
              .width = 350,
              .height = 125,
              .x_end = x_end,
              .y_end = 120,
              .x_ticks = depths,
              .y_ticks = {0, 25, 50, 75, 100},
              .series = {ready}});
  return chart.svg();
}

/// Without the folder and the fields that the picture does not use.
std::string one_run_a_line(Json sweep) {
  for (const auto* const key :
       {"data", "advice", "verdict", "next", "by_depth", "conclusion", "limit"})
    sweep.erase(key);
  for (auto& run : sweep["runs"]) run.erase("timeline");
  std::string text = "{";
  for (const auto& [key, value] : sweep.items()) {
    if (key != "runs") text += fmt::format("\"{}\": {},\n ", key, value.dump());
  }
  text += "\"runs\": [";
  for (const auto& run : sweep["runs"])
    text += (text.back() == '[' ? "\n  " : ",\n  ") + run.dump();
  return text + "]}\n";
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text).flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: draw_sweep SWEEP.json OUT: writes OUT.svg and OUT.json\n";
    return 2;
  }
  try {
    std::ifstream file(argv[1], std::ios::binary);
    const auto sweep = Json::parse(file);
    for (const auto& run : sweep.at("runs")) {
      if (!run.at("error").is_null())
        throw std::runtime_error("a run failed: " + run["error"].get<std::string>());
    }
    const std::string out = argv[2];
    write(out + ".svg", picture(sweep));
    write(out + ".json", one_run_a_line(sweep));
  } catch (const std::exception& e) {
    std::cerr << "draw_sweep: " << e.what() << '\n';
    return 1;
  }
}
