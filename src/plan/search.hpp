#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/predict.hpp"
#include "weir/advice.hpp"

namespace weir {

/// One that may be moved while a stream runs.
struct Knob {
  const char* name;
  std::uint32_t Setting::*value;
  const char* why;  ///< to turn it up
};
/// What buys throughput first, what smooths it last.
inline constexpr std::array<Knob, 3> knobs{
    {{"read_ahead", &Setting::read_ahead, "so that reads wait side by side"},
     {"workers", &Setting::workers, "so that more is decoded at once"},
     {"max_queue_size", &Setting::max_queue_size, "so that batches wait for the consumer"}}};

/// Settings within AdviceOptions, and what they would do. Each is simulated once, all on the same
/// draws. Not for several threads.
class Search {
 public:
  Search(const Window& window, const AdviceOptions& options);

  /// The best there is: the highest throughput, then the highest readiness. Throws
  /// Error{budget_too_small} where the budget admits no setting.
  Prediction ceiling();
  /// The smallest in bytes that reaches `best` within a percent, ready as often as asked for, or
  /// else nearly as often as any such setting can be.
  Prediction smallest(const Prediction& best);
  /// From `from`, each knob by a step up and down, as far as the bounds allow.
  std::vector<Step> steps(const Prediction& from);

  /// Empty: out of bounds, or more than the budget holds.
  std::optional<Prediction> at(const Setting& setting);

  const simulation::Workload& work() const noexcept { return work_; }
  std::uint32_t most_workers() const noexcept { return most_workers_; }
  std::uint32_t most_queue() const noexcept { return options_.most_queue; }
  std::uint32_t most_read_ahead() const noexcept { return most_read_ahead_; }
  std::uint64_t budget() const noexcept { return budget_; }
  double target() const noexcept { return options_.target_readiness; }

 private:
  struct Threads {
    std::uint32_t workers = 1, read_ahead = 0;
  };
  std::optional<Plan> plan_of(const Setting& setting) const;
  Setting setting(std::uint32_t depth, Threads threads) const;
  bool good(const std::optional<Prediction>& prediction) const;
  bool good(std::uint32_t depth, Threads threads) { return good(at(setting(depth, threads))); }
  std::uint32_t least_depth(Threads threads) const;
  /// The deepest queue within the bounds whose bytes are below `bytes`; 0: none.
  std::uint32_t deepest(Threads threads, std::uint64_t bytes) const;
  /// Step by step to where no step is better.
  Prediction climbed(Prediction from);
  void improve(std::optional<Prediction>& best, Threads threads);
  void thin_out(Prediction& best);
  /// Worth looking at: what the bounds of the stations ask for, a little more, and all.
  std::vector<Threads> candidates() const;
  std::vector<std::uint32_t> worker_candidates(std::uint32_t read_ahead) const;

  const Window& window_;
  const AdviceOptions options_;
  const std::uint64_t budget_;
  const std::uint32_t most_workers_;
  const simulation::Workload work_;
  const std::uint32_t most_read_ahead_;  ///< 0 where reads are over at once
  const double target_;  ///< samples a second that consumer and machine allow at best
  std::map<Setting, Prediction> known_;
  double least_rate_ = 0, least_readiness_ = 0;  ///< what is good
};

/// What caches would bring at `setting`, which the search has looked at: those of `bytes`, or, where that
/// is 0, of the window's own size, as far as the budget has room.
std::vector<CacheAdvice> cache_advice(const Window& window, Search& search, const Setting& setting,
                                      std::uint64_t bytes);

/// Advice in sentences: what bounds the run, whether depth helps, what to use, what to change first,
/// what a budget keeps away. `advice` has all but its words.
std::vector<std::string> advice_text(const Window& window, const AdviceOptions& options,
                                     Search& search, const Advice& advice);

}  // namespace weir
