#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "support/rig/laws.hpp"
#include "weir/loader.hpp"

namespace weir::test {

/// The consumer's own counts. Only the consumer writes them. The two counters are bounds of `consumed`
/// that another thread can check at any moment: `perhaps_consumed` grows before a release, and
/// `surely_consumed` grows after it.
struct Recount {
  std::atomic<std::uint64_t> surely_consumed{0}, perhaps_consumed{0};  ///< in samples
  std::atomic<bool> waiting{false};                                    ///< true during next()
};

/// A consumer that counts the samples it gets. At each take and each release of a batch it
/// checks the laws that only a consumer can check. One thread.
class CountingConsumer {
 public:
  CountingConsumer(Loader& loader, Stream& stream, Recount& recount, LawBook& book)
      : loader_(loader), stream_(stream), recount_(recount), book_(book) {}

  /// Drains the stream, or `steps` batches of it, and releases all batches. Calls `consume` for each
  /// batch.
  void drain(std::optional<std::uint64_t> steps, const std::function<void(const Batch&)>& consume) {
    try {
      while (taken_ != steps) {
        if (held_.size() == loader_.plan().max_leases) release();
        recount_.waiting = true;
        auto batch = stream_.next();
        recount_.waiting = false;
        if (!batch) break;
        take(std::move(*batch));
        consume(held_.back().batch);
      }
    } catch (...) {
      // The stream ended with an error. The recount must stay correct for the next stream.
      recount_.waiting = false;
      while (!held_.empty()) release();
      throw;
    }
    while (!held_.empty()) release();
  }
  /// The number of rows with this status.
  std::uint64_t rows(RowStatus status) const noexcept {
    return rows_[static_cast<std::size_t>(status)];
  }

 private:
  struct Held {
    Batch batch;
    std::uint64_t samples;  ///< rows that are not blank
  };
  void take(Batch batch) {
    book_.check(Law::order, batch.sequence() == taken_, "batch {} was delivered as number {}",
                batch.sequence(), taken_);
    ++taken_;
    for (const auto status : batch.statuses()) ++rows_[static_cast<std::size_t>(status)];
    const auto samples =
        static_cast<std::uint64_t>(std::ranges::count_if(batch.statuses(), [](RowStatus status) {
          return status != RowStatus::blank && status != RowStatus::padding;
        }));
    held_.push_back({std::move(batch), samples});
    check_leases(loader_.snapshot());
  }
  void release() {
    const auto before = loader_.snapshot();
    const auto bytes = held_.front().batch.bytes_held();
    recount_.perhaps_consumed += held_.front().samples;
    const auto samples = held_.front().samples;
    held_.pop_front();
    ++released_;
    const auto after = loader_.snapshot();
    recount_.surely_consumed += samples;

    book_.check(Law::held, before.memory[Account::leased] - after.memory[Account::leased] == bytes,
                "a batch of {} bytes died and leased went from {} to {}", bytes,
                before.memory[Account::leased], after.memory[Account::leased]);
    book_.check(Law::conservation, after.samples.consumed == recount_.surely_consumed,
                "consumed is {}, the consumer released {}", after.samples.consumed,
                recount_.surely_consumed.load());
    const auto wanted = loader_.progress_after(released_);
    book_.check(Law::resume, stream_.progress_of_all() == wanted,
                "progress is {} after {} batches were finished in order",
                stream_.progress().to_json(), released_);
    check_leases(after);
  }
  // Only this thread takes and releases leases, so the comparison is exact.
  void check_leases(const Snapshot& now) {
    std::uint64_t bytes = 0, samples = 0;
    for (const auto& held : held_) {
      bytes += held.batch.bytes_held();
      samples += held.samples;
    }
    book_.check(Law::held,
                now.leased == held_.size() && now.memory[Account::leased] == bytes &&
                    now.samples.leased == samples,
                "leased is {} batches, {} samples, {} bytes; held are {}, {}, {}", now.leased,
                now.samples.leased, now.memory[Account::leased], held_.size(), samples, bytes);
  }

  Loader& loader_;
  Stream& stream_;
  Recount& recount_;
  LawBook& book_;
  std::deque<Held> held_;
  std::uint64_t taken_ = 0, released_ = 0;
  std::array<std::uint64_t, 5> rows_{};  ///< by RowStatus
};

}  // namespace weir::test
