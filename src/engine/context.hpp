#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codec/decoder.hpp"
#include "conductor/conductor.hpp"
#include "engine/loader_state.hpp"
#include "engine/plan_planes.hpp"
#include "engine/shared_work_queue.hpp"
#include "source/partner_sampler.hpp"
#include "source/size_rule.hpp"

namespace weir::engine {

/// The settings of one stream beyond the loader's Plan. Every value is decided.
struct StreamPlan {
  codec::DecoderOptions decoder;
  std::vector<PlaneRule> planes;  ///< of Options::planes
  source::Sampler sampler;
  source::PartnerSampler partners;  ///< of the same sampler
  std::shared_ptr<const conductor::Supply> supply;
  conductor::Policy policy;
  OnFault on_fault = OnFault::stop;
  Clock::duration stall_after{0};  ///< 0: no watchdog
  std::function<void(const std::string&)> on_stall{};
  std::function<void(DecodedSample&)> transform{};  ///< empty: no transform
  WindowOptions window{};
  source::SizeRule size{};
  std::shared_ptr<const SizeIndex> size_index = nullptr;  ///< null: all images have one shape

  bool sizes_differ() const noexcept { return size_index != nullptr; }
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
