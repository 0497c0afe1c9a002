#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include "conductor/conductor.hpp"
#include "engine/loader_state.hpp"
#include "engine/shared_work_queue.hpp"
#include "engine/stream_error.hpp"
#include "source/partner_sampler.hpp"
#include "source/sampler.hpp"

namespace weir::engine {

/// State that the threads of one stream share.
struct Shared {
  Shared(LoaderState& lasting, std::shared_ptr<const conductor::Supply> batches,
         const source::Sampler& order, std::shared_ptr<Wakeable> strand)
      : loader(lasting),
        supply(std::move(batches)),
        sampler(order),
        partners(lasting.partners(order)),
        conductor(std::move(strand)),
        work_queue(*lasting.book, lasting.stats, lasting.plan) {}

  /// Ends the stream with this error, unless a row has failed.
  void fail(std::exception_ptr thrown) noexcept {
    error.offer(books::no_row, std::move(thrown));
    failed.store(true);
    conductor->wake();
  }

  LoaderState& loader;
  const std::shared_ptr<const conductor::Supply> supply;
  const source::Sampler sampler;
  const source::PartnerSampler partners;  ///< of the same sampler
  const std::shared_ptr<Wakeable> conductor;
  SharedWorkQueue work_queue;
  StreamError error;
  std::atomic<bool> failed{false};    ///< the conductor must end the stream
  std::atomic<bool> stopping{false};  ///< decoders read it between rows
};

}  // namespace weir::engine
