#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "cli/consumer.hpp"
#include "cli/laws.hpp"
#include "weir/loader.hpp"

namespace weir::cli {

/// What the consumer counts for itself. Written by the consumer alone; the two bounds let another
/// thread say what `consumed` can be at any instant: bounds are moved before and after the release
/// they are about.
struct Recount {
  std::atomic<std::uint64_t> surely_consumed{0}, perhaps_consumed{0};  ///< samples
  std::atomic<bool> waiting{false};                                    ///< in next()
};

/// The consumer of a soak: counts what it is given, and checks the laws that only a consumer can
/// see, each time it takes or releases a batch. One thread.
class Soak {
 public:
  Soak(Loader& loader, Stream& stream, Recount& recount, LawBook& book)
      : loader_(loader), stream_(stream), recount_(recount), book_(book) {}

  /// Drains the stream, or `steps` batches of it, and releases them all. `look` is shown each batch.
  void drain(Consumer& consumer, std::optional<std::uint64_t> steps,
             const std::function<void(const Batch&)>& look);
  /// Rows seen, by status.
  std::uint64_t rows(RowStatus status) const noexcept {
    return rows_[static_cast<std::size_t>(status)];
  }

 private:
  struct Held {
    Batch batch;
    std::uint64_t samples;  ///< rows that are samples: not blank
  };
  void take(Batch batch);
  void release();
  void check_leases(const Snapshot& now);

  Loader& loader_;
  Stream& stream_;
  Recount& recount_;
  LawBook& book_;
  std::deque<Held> held_;
  std::uint64_t taken_ = 0, released_ = 0;
  std::array<std::uint64_t, 4> rows_{};
};

}  // namespace weir::cli
