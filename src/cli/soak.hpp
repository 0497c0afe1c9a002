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

/// The consumer's own counts. Only the consumer writes them. The two counters are bounds of `consumed`
/// that another thread can check at any moment: `perhaps_consumed` grows before a release, and
/// `surely_consumed` grows after it.
struct Recount {
  std::atomic<std::uint64_t> surely_consumed{0}, perhaps_consumed{0};  ///< in samples
  std::atomic<bool> waiting{false};                                    ///< true during next()
};

/// The consumer of a soak. It counts the samples it gets. At each take and each release of a batch it
/// checks the laws that only a consumer can check. One thread.
class Soak {
 public:
  Soak(Loader& loader, Stream& stream, Recount& recount, LawBook& book)
      : loader_(loader), stream_(stream), recount_(recount), book_(book) {}

  /// Drains the stream, or `steps` batches of it, and releases all batches. Calls `look` for each
  /// batch.
  void drain(Consumer& consumer, std::optional<std::uint64_t> steps,
             const std::function<void(const Batch&)>& look);
  /// The number of rows with this status.
  std::uint64_t rows(RowStatus status) const noexcept {
    return rows_[static_cast<std::size_t>(status)];
  }

 private:
  struct Held {
    Batch batch;
    std::uint64_t samples;  ///< rows that are not blank
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
  std::array<std::uint64_t, 5> rows_{};  ///< by RowStatus
};

}  // namespace weir::cli
