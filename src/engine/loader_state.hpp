#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/fork_guard.hpp"
#include "base/guarded.hpp"
#include "base/mutex.hpp"
#include "buffer/sample_cache.hpp"
#include "buffer/slab_pool.hpp"
#include "conductor/conductor.hpp"
#include "engine/fault_log.hpp"
#include "engine/loader_stats.hpp"
#include "engine/notes.hpp"
#include "engine/plan_planes.hpp"
#include "engine/plane_counts.hpp"
#include "engine/trace.hpp"
#include "source/partner_sampler.hpp"
#include "source/sampler.hpp"
#include "source/size_rule.hpp"
#include "weir/options.hpp"
#include "weir/order.hpp"
#include "weir/plan.hpp"
#include "weir/source.hpp"

namespace weir::engine {

/// The data of a Loader, which all its streams use. They share it, so loader and stream may be
/// destroyed in any order. Leases keep only the slab pool.
struct LoaderState final : buffer::LeaseWatch {
  /// `measured`: the options with what was measured. Throws Error{budget_too_small}.
  LoaderState(AnySource images, const Options& measured, const Plan& resolved,
              std::shared_ptr<MemoryLedger> shared, std::shared_ptr<books::Book> opened,
              std::shared_ptr<buffer::SampleCache> samples);
  ~LoaderState() override;
  LoaderState(const LoaderState&) = delete;
  LoaderState& operator=(const LoaderState&) = delete;

  /// Throws Error in a child of fork().
  void refuse_in_child() const;
  source::PartnerSampler partners(const source::Sampler& order) const {
    return {order, options.partners, source, labels};
  }
  Progress progress(std::vector<Progress::Epochs> epochs) const;
  /// Computed by the first call.
  const std::string& fingerprint() const WEIR_EXCLUDES(fingerprint_mutex_);
  Report report();
  /// The report without the process's memory and the verdict. The kernel takes long to count the
  /// memory of a large process, and automatic tuning needs neither.
  Report figures();

  /// Charges the records of so many threads. Those of the first setting are part of the plan's
  /// index_bytes. One caller at a time. Throws Error{budget_too_small}.
  void cover_threads(std::uint32_t workers, std::uint32_t readers);
  /// Counts the images of a batch whose sizes differ. Not thread-safe.
  void count_images(const buffer::Slab& slab) noexcept;
  void released(const buffer::Slab& slab) noexcept override;
  void handed_over(buffer::Slab& slab) noexcept override;

  const ForkGuard fork_guard;
  const AnySource source;
  const Options options;
  const Plan plan;
  const std::shared_ptr<MemoryLedger> ledger;
  const std::shared_ptr<books::Book> book;
  Charge index;
  const PlaneRules rules;
  const conductor::Batching batching;
  const conductor::Policy policy;  ///< of each stream, which changes its copy
  const source::Sampler sampler;   ///< after `index`, which has the bytes of its table
  const source::SizeRule size;     ///< false: sizes do not change
  /// Null: all images have one shape.
  const std::shared_ptr<const SizeIndex> size_index;
  std::shared_ptr<const source::LabelIndex> labels;  ///< null unless partners need it
  const std::shared_ptr<buffer::SlabPool> pool;
  LoaderStats stats;
  std::unique_ptr<Trace> trace;  ///< null if not requested
  /// Null if not requested, or without room. Other loaders may share it (CacheStore).
  std::shared_ptr<buffer::SampleCache> cache;
  std::atomic<bool> tiles_fit{true};  ///< false: a sample with tiles had no room in the cache
  Guarded<SizeStats> delivered;       ///< only if sizes differ
  PlaneCounts planes;                 ///< of the plan's planes
  FaultLog faults;
  struct Knobs {
    Setting now, before;
  };
  Guarded<Knobs> knobs;
  Notes moves, stalls;  ///< what tuning changed; what the watchdog reported
  std::atomic<bool> streaming{false};

 private:
  void end_lease(const buffer::Slab& slab, Clock::time_point now) noexcept;

  mutable Mutex fingerprint_mutex_;
  mutable std::string fingerprint_ WEIR_GUARDED_BY(fingerprint_mutex_);
};

}  // namespace weir::engine
