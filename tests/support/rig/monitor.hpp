#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "observe/moment.hpp"
#include "report/figures.hpp"
#include "support/rig/counting_consumer.hpp"
#include "weir/loader.hpp"
#include "weir/memory.hpp"

namespace weir::test {

/// Checks every law that holds at any moment, 1000 times a second. The Loader, upstream, recount and
/// book must outlive it. If no sample moves for `stall_limit` while the consumer waits, this is a
/// breach of `progress`, and `give_up` gets a stop request. If still no sample moves for the same time
/// again, the program ends with exit code 1.
class Monitor {
 public:
  Monitor(Loader& loader, const CountingResource& upstream, const Recount& recount, LawBook& book,
          std::stop_source give_up, Clock::duration stall_limit)
      : loader_(loader),
        upstream_(upstream),
        recount_(recount),
        book_(book),
        give_up_(std::move(give_up)),
        stall_limit_(stall_limit),
        last_move_(Clock::now()),
        thread_([this](const std::stop_token& stop) {
          try {
            watch(stop);
          } catch (...) {
            failed_ = std::current_exception();
          }
        }) {}

  struct Ticks {
    std::uint64_t count = 0;
    double seconds = 0;
  };
  /// Ends the checks. Throws the exception that ended them early, if there was one.
  Ticks stop() {
    if (thread_.joinable()) {
      thread_.request_stop();
      thread_.join();
    }
    if (failed_) std::rethrow_exception(failed_);
    return ticks_;
  }

 private:
  // These counters only grow. If one of them changes, samples move.
  static std::uint64_t moved(const SampleTally& samples) {
    return samples.drawn + samples.produced() + samples.consumed + samples.discarded +
           samples.dropped + samples.failed;
  }
  void watch(const std::stop_token& stop) {
    const auto start = Clock::now();
    auto next = start;
    // One check is certain, even if this thread starts late.
    do {
      tick();
      ++ticks_.count;
      next = std::max(next + std::chrono::milliseconds(1), Clock::now());
      std::this_thread::sleep_until(next);
    } while (!stop.stop_requested());
    ticks_.seconds = seconds(Clock::now() - start);
  }
  void tick() {
    const auto at_least = recount_.surely_consumed.load();
    Snapshot now;
    const auto allocated = look_at_both(now);
    const auto at_most = recount_.perhaps_consumed.load();
    const auto& plan = loader_.plan();
    const auto& samples = now.samples;

    observe::check_moment(now, plan,
                          [this]<class... T>(std::string_view law, bool holds,
                                             fmt::format_string<T...> breach, T&&... seen) {
                            book_.check(law_named(law), holds, breach, std::forward<T>(seen)...);
                          });
    check_bytes(loader_.ledger().snapshot());
    book_.check(Law::peak, now.memory.peak >= last_peak_, "peak {} after {}", now.memory.peak,
                last_peak_);
    last_peak_ = now.memory.peak;

    // Slabs and cache are charged before the allocation, and discharged after the release.
    const auto staging = report::staging_bytes(now.memory.accounts);
    const bool sizes_differ = plan.sizes.mode != Sizes::fixed;
    book_.check(Law::bound,
                allocated <= staging + now.memory[Account::cache] &&
                    now.memory[Account::cache] <= plan.cache.bytes &&
                    staging <= plan.slabs * plan.slab_bytes &&
                    (sizes_differ || staging % plan.slab_bytes == 0),
                "{} bytes of slabs on the books, {} allocated, {} slabs of {} planned", staging,
                allocated, plan.slabs, plan.slab_bytes);
    book_.check(Law::conservation, at_least <= samples.consumed && samples.consumed <= at_most,
                "{} consumed; the consumer released {} to {}", samples.consumed, at_least, at_most);
    const auto ahead = now.memory[Account::filling] + now.memory[Account::ready];
    const auto most_ahead = plan.max_queue_bytes.value_or(UINT64_MAX);
    book_.check(Law::queue, ahead <= most_ahead || now.filling + now.ready == 1,
                "{} bytes in {} filling and {} ready; queue.max_bytes {}", ahead, now.filling,
                now.ready, most_ahead);
    check_stall(now);
  }
  /// Returns the bytes that slabs and cache have allocated, and sets `now` to the ledger of the same
  /// moment. Returns 0 if the ledger changes all the time.
  std::uint64_t look_at_both(Snapshot& now) {
    // Both values belong to one moment if the ledger did not change while they were read. If no try
    // succeeds, the result is 0.
    constexpr int tries = 20;
    for (int i = 0; i < tries; ++i) {
      const auto before = loader_.ledger().postings();
      const auto bytes = upstream_.live();
      now = loader_.snapshot();
      if (loader_.ledger().postings() == before) return bytes;
    }
    return 0;
  }
  void check_bytes(const MemorySnapshot& memory) {
    const auto parts = observe::total(memory.accounts);
    book_.check(Law::sum, parts == memory.live, "accounts add up to {}, live is {}", parts,
                memory.live);
    const auto budget = memory.budget.value_or(UINT64_MAX);
    book_.check(Law::bound, memory.live <= budget, "{} live, budget {}", memory.live, budget);
  }
  void check_stall(const Snapshot& now) {
    if (moved(now.samples) != moved(last_samples_) || !recount_.waiting) {
      last_samples_ = now.samples;
      last_move_ = Clock::now();
    }
    const auto still = Clock::now() - last_move_;
    if (!book_.check(Law::progress, still < stall_limit_,
                     "no sample moved for {:.0f} s while the consumer waited", seconds(still)))
      give_up_.request_stop();
    if (still < 2 * stall_limit_) return;
    // The consumer never returns from next(), so only this thread can report it.
    std::fputs("progress is broken, and the stream does not even cancel\n", stderr);
    std::_Exit(1);
  }

  Loader& loader_;
  const CountingResource& upstream_;
  const Recount& recount_;
  LawBook& book_;
  std::stop_source give_up_;
  Clock::duration stall_limit_;
  std::uint64_t last_peak_ = 0;
  SampleTally last_samples_{};
  Clock::time_point last_move_;
  Ticks ticks_;
  std::exception_ptr failed_;
  std::jthread thread_;
};

}  // namespace weir::test
