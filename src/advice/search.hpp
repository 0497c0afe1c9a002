#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "advice/workload.hpp"
#include "weir/advice.hpp"

namespace weir::advice {

/// A knob that can change while a stream runs.
struct Knob {
  const char* name;
  std::uint32_t Setting::*value;
  const char* why;     ///< reason to increase it
  const char* flag;    ///< option of the program
  const char* member;  ///< member of Options
  Change change;
};
/// In the order of tuning: knobs for throughput first, the knob against jitter last.
inline constexpr std::array<Knob, 3> knobs{
    {{"read_ahead", &Setting::read_ahead, "more reads wait at the same time", "--read-ahead",
      "io.read_ahead", Change::read_ahead},
     {"workers", &Setting::workers, "more images are decoded at the same time", "--workers",
      "workers", Change::workers},
     {"max_queue_size", &Setting::max_queue_size, "more batches are ready before a slow one",
      "--max-queue-size", "queue.max_queue_size", Change::max_queue_size}}};

/// Simulates settings within AdviceOptions. It simulates each setting once, and all with the same
/// random draws. One thread.
class Search {
 public:
  Search(const Interval& interval, const AdviceOptions& options);

  /// The best setting: highest throughput, then highest readiness. Throws Error{budget_too_small}
  /// if no setting fits the budget.
  Prediction ceiling();
  /// The setting with the fewest bytes that is within 1 % of `best` and reaches the target
  /// readiness. If no setting reaches it, the result is within 1 % of the highest readiness.
  Prediction smallest(const Prediction& best);
  /// The smallest value of one knob that comes within 1 % of the best result that this knob alone
  /// can give. All other knobs stay as in `from`, which may be out of bounds. Empty if the budget
  /// holds no value of the knob.
  std::optional<Prediction> alone(const Setting& from, std::uint32_t Setting::*knob);

  /// Empty if the setting is out of bounds or exceeds the budget.
  std::optional<Prediction> at(const Setting& wanted);

  const Workload& work() const noexcept { return work_; }
  std::optional<std::uint64_t> budget() const noexcept { return budget_; }

 private:
  bool within_bounds(const Setting& setting) const noexcept;
  std::uint32_t most(std::uint32_t Setting::*knob) const noexcept;
  /// Empty if the setting exceeds the budget.
  std::optional<Plan> plan_of(const Setting& wanted) const;
  std::optional<Prediction> simulated(const Setting& wanted);
  /// Sets the requirements of good(): within 1 % of `best`.
  void require(const Prediction& best);
  bool good(const std::optional<Prediction>& prediction) const;
  std::uint32_t least_depth(const Setting& threads) const;
  /// The deepest queue of `threads` within the bounds that needs less than `bytes`. Empty if there
  /// is none.
  std::optional<Setting> deepest(const Setting& threads, std::uint64_t bytes) const;
  /// One step up and one step down for each knob of `from`, within the bounds.
  std::vector<Prediction> steps(const Prediction& from);
  /// Changes single knobs until no step improves the result.
  Prediction climbed(Prediction from);
  void improve(Prediction& best, const Setting& threads);
  void thin_out(Prediction& best);
  /// Thread counts to simulate, with any queue: those that the bounds of the stations require, some
  /// more, and the maximum.
  std::vector<Setting> candidates() const;
  std::vector<std::uint32_t> worker_candidates(std::uint32_t read_ahead) const;

  const Interval& interval_;
  const AdviceOptions options_;
  const std::optional<std::uint64_t> budget_;
  const std::uint32_t most_workers_;
  const Workload work_;
  const std::uint32_t most_read_ahead_;  ///< 0 if reads do not wait
  const double target_;                  ///< samples per second; limit of consumer and machine
  std::map<Setting, Prediction> known_;
  double least_rate_ = 0, least_readiness_ = 0;  ///< requirements for good()
};

/// The share of draws that a cache of `bytes` serves once it is full.
double cached_share(const Interval& interval, Cache keep, std::uint64_t bytes);

/// The effect of caches on the interval's setting. The size is `bytes`, or else the size of the
/// interval's own cache within the budget.
std::vector<CacheAdvice> cache_advice(const Interval& interval, Search& search,
                                      std::optional<std::uint64_t> bytes,
                                      const DecodeTimes& decodes = {});

/// Tiles that an advice proposes, in each row of a file.
inline constexpr std::uint32_t proposed_tiles = 16;
/// The epoch from which on an encoded cache with tiles has cost less time than one without. Empty if it
/// never has.
std::optional<std::uint64_t> tiles_pay_from(const CacheAdvice& cache, double tile_s,
                                            double at_once);

/// A smaller gain, of throughput or readiness, is no reason to change anything.
inline constexpr double least_gain = 0.02;

/// The changes of the interval's own setting, ranked. All other members of `advice` must be set.
std::vector<Lever> levers(const Interval& interval, const AdviceOptions& options, Search& search,
                          const Advice& advice);

/// Change, gain, bytes and basis of a lever in one sentence.
std::string lever_text(const Lever& lever, const Prediction& now);

/// The knobs of `to` that differ from `from`; all of them if `from` is null.
std::vector<const Knob*> changed(const Setting& to, const Setting* from);
/// The same as options of the program or as C++.
std::string flags_of(const Setting& to, const Setting* from = nullptr);
std::string code_of(const Setting& to, const Setting* from = nullptr);
/// "decoded:29MiB".
std::string value_of(const CacheOptions& cache);
std::string flag_of(const CacheOptions& cache);
std::string code_of(const CacheOptions& cache);
/// Sets the budget, which may be that of a ledger.
std::string code_of_budget(const Plan& plan, std::uint64_t bytes);

}  // namespace weir::advice
