// Automatic tuning beside the best fixed setting, in each regime: see README.md.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "loads.hpp"

namespace {

using namespace weir;
using namespace weir::bench;
using Seconds = std::chrono::duration<double>;

/// A load, and the values of each knob that the fixed settings combine.
struct Case {
  Load load;
  std::vector<std::uint32_t> queues, workers, reads_ahead;
};

constexpr std::uint32_t most_queue = 16, most_workers = 8, most_read_ahead = 64;
constexpr Setting start{1, 1, 0, 0};

std::vector<Case> all_cases() {
  std::vector<Case> cases{
      {{"storage, reads of 20 ms", 20, 10, 0.2, 32, {2}}, {1, 4, 16}, {1, 4}, {0, 16, 64}},
      {{"storage, reads of 100 ms", 100, 50, 0.2, 32, {2}}, {1, 4, 16}, {1, 4}, {0, 16, 64}},
      {{"decode, 4 ms", 0, 0, 4, 32, {2}}, {1, 4, 16}, {1, 4, 8}, {0}},
      {{"consumer, 40 ms a batch", 0, 0, 0.5, 32, {40}}, {1, 4, 16}, {1, 4}, {0}},
      {{"consumer, bursts of 150 ms", 0, 0, 4, 16, bursts()}, {1, 4, 16}, {1, 4, 8}, {0}},
      {{"memory, reads of 50 ms", 50, 0, 3, 32, {2}, 19 << 20},
       {1, 2},
       {1, 2},
       {0, 8, 16, 32, 64}}};
  if (photographs()) {
    Load load{.name = "photographs, decode", .batch = 32, .consumer_ms = {0}, .photographs = true};
    cases.push_back({load, {1, 4}, {1, 2}, {0}});
    load.name = "photographs, consumer";
    load.consumer_ms = {45};
    cases.push_back({load, {1, 4}, {1, 2}, {0}});
  }
  return cases;
}

/// What a loader does `measured` seconds long, `before` seconds after its start.
struct Course {
  Interval seen;
  Setting setting;
  std::size_t moves = 0;
};

Course follow(const Load& load, const Options& options, double before, double measured) {
  Loader loader(source_of(load), options);
  auto stream = loader.stream({.epochs = std::nullopt});
  std::optional<Report> at_start;
  const auto begun = Clock::now();
  for (std::uint64_t n = 0;; ++n) {
    const Seconds passed = Clock::now() - begun;
    if (!at_start && passed.count() >= before) at_start = loader.report();
    if (at_start && passed.count() >= before + measured) break;
    const auto batch = stream.next();
    consume(load, n);
  }
  const auto now = loader.report();
  if (!now.moves.empty() && now.moves.back().starts_with("tuning ended"))
    std::fprintf(stderr, "%s: %s\n", load.name, now.moves.back().c_str());
  return {interval(*at_start, now), now.setting, now.moves.size()};
}

Course fixed(const Load& load, const Setting& setting, double before, double measured) {
  auto options = options_of(load);
  set(options, setting);
  return follow(load, options, before, measured);
}

Course tuned(const Load& load, double before, double measured, bool tell) {
  auto options = options_of(load);
  set(options, start);
  options.tuning = {.mode = Tuning::automatic,
                    .most_queue = most_queue,
                    .most_workers = load.photographs ? 0 : most_workers,
                    .most_read_ahead = most_read_ahead};
  const auto begun = Clock::now();
  if (tell)
    options.tuning.on_move = [begun](const std::string& move) {
      std::fprintf(stderr, "  %5.1f s: %s\n", Seconds(Clock::now() - begun).count(), move.c_str());
    };
  return follow(load, options, before, measured);
}

std::string text(const Setting& s) {
  return std::to_string(s.max_queue_size) + ", " + std::to_string(s.workers) + ", " +
         std::to_string(s.read_ahead);
}

/// The fixed settings of the case that its budget allows, fastest first, after a short run of each.
std::vector<Setting> fastest(const Case& c, double seconds) {
  std::vector<std::pair<double, Setting>> found;
  for (const auto queue : c.queues)
    for (const auto workers : c.workers)
      for (const auto read_ahead : c.reads_ahead) {
        try {
          const auto course = fixed(c.load, {queue, workers, read_ahead, 0}, 1, seconds);
          found.emplace_back(rate(course.seen), Setting{queue, workers, read_ahead, 0});
        } catch (const Error& error) {
          if (error.code() != Errc::budget_too_small) throw;
        }
      }
  std::ranges::sort(found, std::greater(), [](const auto& one) { return one.first; });
  std::vector<Setting> settings;
  for (const auto& one : found) settings.push_back(one.second);
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  const std::string only = argc > 2 ? argv[2] : "";
  const bool tell = argc > 3;
  constexpr double given_s = 20, measured_s = 5, goal = 0.95;
  constexpr std::size_t finalists = 3;
  std::printf(
      "%d rounds in turns; medians of samples/s; a setting is queue, workers, reads ahead\n",
      rounds);
  std::printf("%-28s %-11s %9s %-13s %9s %6s %-14s %s\n", "", "best fixed", "samples/s",
              "tuned (moves)", "samples/s", "ratio", "least, most", "regime");
  bool reached = true;
  for (const auto& c : all_cases()) {
    if (std::string(c.load.name).find(only) == std::string::npos) continue;
    auto settings = fastest(c, 1.5);
    settings.resize(std::min(settings.size(), finalists));
    std::vector<std::vector<double>> rates(settings.size());
    std::vector<double> tuned_rates;
    Course last;
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < settings.size(); ++i)
        rates[i].push_back(rate(fixed(c.load, settings[i], 1, measured_s).seen));
      last = tuned(c.load, given_s, measured_s, tell);
      tuned_rates.push_back(rate(last.seen));
    }
    const auto best = std::ranges::max_element(rates, {}, median);
    std::vector<double> ratios;
    for (std::size_t round = 0; round < tuned_rates.size(); ++round)
      ratios.push_back(tuned_rates[round] / (*best)[round]);
    const auto [least, most] = std::ranges::minmax(ratios);
    const auto setting = settings[static_cast<std::size_t>(best - rates.begin())];
    const auto moves = text(last.setting) + " (" + std::to_string(last.moves) + ")";
    std::printf("%-28s %-11s %9.0f %-13s %9.0f %6.2f (%.2f, %.2f)   %s\n", c.load.name,
                text(setting).c_str(), median(*best), moves.c_str(), median(tuned_rates),
                median(ratios), least, most,
                std::string(to_string(judge(last.seen).regime)).c_str());
    std::fflush(stdout);
    reached = reached && median(ratios) >= goal;
  }
  return reached ? 0 : 1;
}
