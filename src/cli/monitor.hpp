#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <stop_token>
#include <thread>

#include "cli/soak.hpp"
#include "weir/counting.hpp"
#include "weir/loader.hpp"

namespace weir::cli {

/// Checks every law that holds at any moment, 1000 times a second. The Loader, upstream, recount and
/// book must outlive it. If no sample moves for `stall_limit` while the consumer waits, this is a
/// breach of `progress`, and `give_up` gets a stop request. If still no sample moves for the same time
/// again, the program ends with exit code 1.
class Monitor {
 public:
  Monitor(Loader& loader, const CountingResource& upstream, const Recount& recount, LawBook& book,
          std::stop_source give_up, std::chrono::steady_clock::duration stall_limit);

  struct Ticks {
    std::uint64_t count = 0;
    double seconds = 0;
  };
  /// Ends the checks. Throws the exception that ended them early, if there was one.
  Ticks stop();

 private:
  void watch(const std::stop_token& stop);
  void tick();
  /// Returns the bytes that slabs and cache have allocated, and sets `now` to the ledger of the same
  /// moment. Returns 0 if the ledger changes all the time.
  std::uint64_t look_at_both(Snapshot& now);
  void check_bytes(const MemorySnapshot& memory);
  void check_stall(const Snapshot& now);

  Loader& loader_;
  const CountingResource& upstream_;
  const Recount& recount_;
  LawBook& book_;
  std::stop_source give_up_;
  std::chrono::steady_clock::duration stall_limit_;
  std::uint64_t last_peak_ = 0;
  SampleTally last_samples_{};
  std::chrono::steady_clock::time_point last_move_;
  Ticks ticks_;
  std::exception_ptr failed_;
  std::jthread thread_;
};

}  // namespace weir::cli
