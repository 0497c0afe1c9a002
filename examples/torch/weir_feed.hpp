#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <weir/interop/torch.hpp>
#include <weir/weir.hpp>

#include "options.hpp"

namespace trainer {

inline constexpr weir::Normalize normalize{{0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}};

/// Batches by weir. They wait as bytes; floats are made of a micro-batch as it is asked for.
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

  /// `epochs`: how often epoch() will be called; nothing is prefetched beyond.
  WeirFeed(const weir::AnySource& source, const Options& options, bool shuffle,
           std::uint64_t epochs, std::shared_ptr<weir::MemoryLedger> ledger = nullptr)
      : loader_(source, loader_options(options, shuffle, std::move(ledger))),
        stream_(loader_.stream({.epochs = epochs})),
        bfloat16_(options.bfloat16) {}

  /// use(Batch) for each batch of the next epoch.
  template <class Use>
  void epoch(Use use) {
    for (auto left = loader_.batches_per_epoch(); left > 0; --left) {
      const auto rows = stream_.next();
      use(Batch(*this, *rows));
    }
  }
  /// use(Batch) for the next batch alone; full() once the queue behind it is full, while it is still held.
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
            .shuffle = shuffle,
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
