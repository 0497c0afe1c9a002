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

/// A knob that can change while a stream runs.
struct Knob {
  const char* name;
  std::uint32_t Setting::*value;
  const char* why;  ///< reason to increase it
};
/// In the order of advice: knobs for throughput first, the knob against jitter last.
inline constexpr std::array<Knob, 3> knobs{
    {{"read_ahead", &Setting::read_ahead, "so that reads wait side by side"},
     {"workers", &Setting::workers, "so that more is decoded at once"},
     {"max_queue_size", &Setting::max_queue_size, "so that batches wait for the consumer"}}};

/// Simulates settings within AdviceOptions. It simulates each setting once, and all with the same
/// random draws. One thread.
class Search {
 public:
  Search(const Window& window, const AdviceOptions& options);

  /// The best setting: highest throughput, then highest readiness. Throws Error{budget_too_small}
  /// if no setting fits the budget.
  Prediction ceiling();
  /// The setting with the fewest bytes that is within 1 % of `best` and reaches the target
  /// readiness. If no setting reaches it, the result is within 1 % of the highest readiness.
  Prediction smallest(const Prediction& best);
  /// One step up and one step down for each knob of `from`, within the bounds.
  std::vector<Step> steps(const Prediction& from);

  /// Empty if the setting is out of bounds or exceeds the budget.
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
  /// The deepest queue within the bounds that needs less than `bytes`. 0 if there is none.
  std::uint32_t deepest(Threads threads, std::uint64_t bytes) const;
  /// Changes single knobs until no step improves the result.
  Prediction climbed(Prediction from);
  void improve(std::optional<Prediction>& best, Threads threads);
  void thin_out(Prediction& best);
  /// Thread counts to simulate: those that the bounds of the stations require, some more, and the
  /// maximum.
  std::vector<Threads> candidates() const;
  std::vector<std::uint32_t> worker_candidates(std::uint32_t read_ahead) const;

  const Window& window_;
  const AdviceOptions options_;
  const std::uint64_t budget_;
  const std::uint32_t most_workers_;
  const simulation::Workload work_;
  const std::uint32_t most_read_ahead_;  ///< 0 if reads do not wait
  const double target_;                  ///< samples per second; limit of consumer and machine
  std::map<Setting, Prediction> known_;
  double least_rate_ = 0, least_readiness_ = 0;  ///< requirements for good()
};

/// The effect of caches at `setting`, which the search has already simulated. The size is `bytes`,
/// or if that is 0, the size of the window's own cache within the budget.
std::vector<CacheAdvice> cache_advice(const Window& window, Search& search, const Setting& setting,
                                      std::uint64_t bytes);

/// The advice as sentences: the limit, the effect of queue depth, the recommendation, the first
/// change, and the cost of the budget. All other members of `advice` must be set.
std::vector<std::string> advice_text(const Window& window, const AdviceOptions& options,
                                     Search& search, const Advice& advice);

}  // namespace weir
