#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <weir/interop/torch.hpp>
#include <weir/weir.hpp>

#include "options.hpp"

namespace trainer {

inline constexpr weir::Normalize normalize{{0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}};

/// Batches by weir. They wait as bytes; a micro-batch becomes floats when it is requested.
class WeirFeed {
 public:
  class Batch {
   public:
    Batch(const WeirFeed& feed, const weir::Batch& rows) : feed_(feed), rows_(rows) {}
    std::int64_t size() const { return rows_.size(); }
    torch::Tensor images(std::int64_t first, std::int64_t count) const {
      const auto part =
          rows_.slice(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count));
      return feed_.bfloat16_ ? weir::to_tensor(part, feed_.to_bfloat16_)
                             : weir::to_tensor(part, feed_.to_float_);
    }
    torch::Tensor labels(std::int64_t first, std::int64_t count) const {
      return torch::from_blob(const_cast<std::int64_t*>(rows_.labels().data()) + first, {count},
                              torch::kInt64);
    }

   private:
    const WeirFeed& feed_;
    const weir::Batch& rows_;
  };

  /// `epochs`: the number of epoch() calls to come; nothing beyond is prefetched.
  WeirFeed(const weir::AnySource& source, const Options& options, bool shuffle,
           std::uint64_t epochs, std::shared_ptr<weir::MemoryLedger> ledger = nullptr)
      : loader_(source, loader_options(options, shuffle, std::move(ledger))),
        stream_(loader_.stream({.epochs = epochs})),
        bfloat16_(options.bfloat16) {}

  /// Calls use(Batch) for each batch of the next epoch.
  template <class Use>
  void epoch(Use use) {
    for (auto left = loader_.batches_per_epoch(); left > 0; --left) {
      const auto rows = stream_.next();
      use(Batch(*this, *rows));
    }
  }
  /// Calls use(Batch) for the next batch only, and full() when the queue is full, while the batch is still held.
  template <class Use, class Full>
  void one(Use use, Full full) {
    const auto rows = stream_.next();
    use(Batch(*this, *rows));
    stream_.settle();
    full();
  }

 private:
  static weir::Options loader_options(const Options& options, bool shuffle,
                                      std::shared_ptr<weir::MemoryLedger> ledger) {
    const auto side = static_cast<std::uint32_t>(options.side);
    return {.shape = {side, side},
            .short_side = static_cast<std::uint32_t>(options.short_side()),
            .order = weir::Order::shuffle(shuffle),
            .batch = static_cast<std::uint32_t>(options.batch),
            .workers = static_cast<std::uint32_t>(options.workers),
            .queue = {.max_queue_size = static_cast<std::uint32_t>(options.queue)},
            .memory = {.ledger = std::move(ledger)},
            .seed = options.seed,
            .drop_last = options.one_batch};  // its queue holds whole batches, as libtorch's does
  }

  weir::Loader loader_;
  weir::Stream stream_;
  bool bfloat16_;
  weir::Converter<float> to_float_{normalize};
  weir::Converter<weir::bfloat16> to_bfloat16_{normalize};
};

}  // namespace trainer
