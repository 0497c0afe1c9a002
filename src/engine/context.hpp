#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "buffer/sample_cache.hpp"
#include "buffer/slab_pool.hpp"
#include "codec/decoder.hpp"
#include "conductor/conductor.hpp"
#include "engine/faults.hpp"
#include "engine/loader_stats.hpp"
#include "engine/plan_planes.hpp"
#include "engine/plane_counts.hpp"
#include "engine/shared_work_queue.hpp"
#include "engine/trace.hpp"
#include "plan/loader_bytes.hpp"
#include "source/sampler.hpp"
#include "weir/plan.hpp"
#include "weir/source.hpp"

namespace weir::engine {

/// The parts of a loader that all its streams use. Leases outlive them.
struct Core final : buffer::LeaseWatch {
  Core(AnySource images, const Plan& resolved, std::shared_ptr<books::Book> page,
       std::shared_ptr<buffer::SlabPool> slabs, std::shared_ptr<buffer::SampleCache> samples)
      : source(std::move(images)),
        plan(resolved),
        book(std::move(page)),
        pool(std::move(slabs)),
        stats(resolved.max_queue_size),
        trace(resolved.trace_bytes > 0 ? std::make_unique<Trace>(resolved) : nullptr),
        cache(std::move(samples)),
        knobs({resolved.start, resolved.start}) {
    pool->watch(this);
  }
  ~Core() override { retire(); }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  /// Stops recording, and frees trace and cache. A shared cache keeps its samples.
  void retire() noexcept {
    pool->watch(nullptr);
    trace.reset();
    cache.reset();
    thread_records_.reset();
  }
  /// Charges the records of so many threads. Those of the first setting are part of the plan's
  /// index_bytes. One caller at a time. Throws Error{budget_too_small}.
  void cover_threads(std::uint32_t workers, std::uint32_t readers) {
    const auto more = [](std::uint32_t number, std::uint32_t covered) {
      return std::uint64_t{number - std::min(number, covered)};
    };
    const auto bytes = more(workers, plan.start.workers) * worker_record_bytes +
                       more(readers, plan.start.read_ahead) * reader_record_bytes;
    if (!thread_records_) thread_records_ = books::charge(book, Account::index, 0);
    if (thread_records_ && thread_records_->try_grow(bytes)) return;
    throw_error(Errc::budget_too_small, Stage::wait, "the budget has no room for the records of ",
                workers, " workers and ", readers, " reads ahead");
  }

  void released(const buffer::Slab& slab) noexcept override {
    const auto now = Clock::now();
    if (slab.ending) {
      const auto begun = stats.copied(slab, now);
      if (trace) trace->batch(Trace::Of::copy, slab, begun, now);
    } else {
      end_lease(slab, now);
    }
  }
  void handed_over(buffer::Slab& slab) noexcept override {
    const auto now = Clock::now();
    end_lease(slab, now);
    slab.since = now;
  }

  CacheStats cache_stats() const noexcept {
    if (!cache) return {};
    auto now = cache->figures();
    now.hits = cache_hits.load(std::memory_order_relaxed);
    now.misses = cache_misses.load(std::memory_order_relaxed);
    return now;
  }

  /// Counts the images of a batch whose sizes differ. Not thread-safe.
  void count_images(const buffer::Slab& slab) noexcept {
    auto now = delivered.get();
    now.images += slab.samples;
    for (const auto size : slab.sizes()) now.image_bytes += slab.layout().form.image_bytes(size);
    now.block_bytes += slab.pixels(0, slab.rows).size();
    delivered.set(now);
  }

  const AnySource source;
  const Plan plan;
  const std::shared_ptr<books::Book> book;
  const std::shared_ptr<buffer::SlabPool> pool;
  LoaderStats stats;
  std::unique_ptr<Trace> trace;  ///< null if not requested
  /// Null if not requested, or without room. Other loaders may share it (CacheStore).
  std::shared_ptr<buffer::SampleCache> cache;
  std::atomic<std::uint64_t> cache_hits{0}, cache_misses{0};
  Guarded<SizeStats> delivered;  ///< only if sizes differ
  PlaneCounts planes;            ///< of the plan's planes
  FaultLog faults;
  struct Knobs {
    Setting now, before;
  };
  Guarded<Knobs> knobs;
  Notes moves, stalls;  ///< what tuning changed; what the watchdog reported

 private:
  void end_lease(const buffer::Slab& slab, Clock::time_point now) noexcept {
    stats.released(slab, now);
    if (trace) trace->batch(Trace::Of::lease, slab, slab.since, now);
  }

  std::optional<Charge> thread_records_;
};

/// The settings of one stream beyond the loader's Plan. Every value is decided.
struct StreamPlan {
  codec::DecoderOptions decoder;
  std::vector<PlaneRule> planes;  ///< of Options::planes
  source::Sampler sampler;
  std::shared_ptr<const conductor::Supply> supply;
  conductor::Tolerance tolerance;
  OnFault on_fault = OnFault::stop;
  Clock::duration stall_after{0};  ///< 0: no watchdog
  std::function<void(const std::string&)> on_stall{};
  std::function<void(DecodedSample&)> transform{};  ///< empty: no transform
  WindowOptions window{};
  std::shared_ptr<const SizeIndex> size_index = nullptr;  ///< null: all images have one shape

  bool sizes_differ() const noexcept { return size_index != nullptr; }
};

/// State that the threads of one stream share.
struct Shared {
  Shared(Core& lasting, const StreamPlan& stream, std::shared_ptr<Wakeable> strand)
      : core(lasting),
        plan(stream),
        conductor(std::move(strand)),
        work_queue(*lasting.book, lasting.stats, lasting.plan.start.workers,
                   lasting.plan.start.read_ahead, lasting.plan.slabs, conductor) {}

  /// Ends the stream with this error, unless a row has failed.
  void fail(std::exception_ptr thrown) noexcept {
    error.offer({}, std::move(thrown));
    failed.store(true);
    conductor->wake();
  }

  Core& core;
  const StreamPlan plan;
  const std::shared_ptr<Wakeable> conductor;
  SharedWorkQueue work_queue;
  StreamError error;
  std::atomic<bool> failed{false};    ///< the conductor must end the stream
  std::atomic<bool> stopping{false};  ///< decoders read it between rows
};

}  // namespace weir::engine
