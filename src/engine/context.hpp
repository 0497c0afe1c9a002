#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include "conductor/conductor.hpp"
#include "engine/loader_state.hpp"
#include "engine/shared_work_queue.hpp"
#include "source/partner_sampler.hpp"
#include "source/sampler.hpp"

namespace weir::engine {

/// The settings of one stream beyond those of the loader. Every value is decided.
struct StreamPlan {
  source::Sampler sampler;
  source::PartnerSampler partners;  ///< of the same sampler
  std::shared_ptr<const conductor::Supply> supply;
  conductor::Policy policy;
};

/// State that the threads of one stream share.
struct Shared {
  Shared(LoaderState& lasting, const StreamPlan& stream, std::shared_ptr<Wakeable> strand)
      : loader(lasting),
        plan(stream),
        conductor(std::move(strand)),
        work_queue(*lasting.book, lasting.stats, lasting.plan.slabs, 1 + lasting.plan.partners) {}

  /// Ends the stream with this error, unless a row has failed.
  void fail(std::exception_ptr thrown) noexcept {
    error.offer({}, std::move(thrown));
    failed.store(true);
    conductor->wake();
  }

  LoaderState& loader;
  const StreamPlan plan;
  const std::shared_ptr<Wakeable> conductor;
  SharedWorkQueue work_queue;
  StreamError error;
  std::atomic<bool> failed{false};    ///< the conductor must end the stream
  std::atomic<bool> stopping{false};  ///< decoders read it between rows
};

}  // namespace weir::engine
