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

/// Checks, a thousand times a second, every law that holds at any instant. Lives no longer than the
/// Loader, upstream, recount and book it looks at. A loader in which nothing moves for
/// `stall_limit` while its consumer waits breaks `progress`, and `give_up` is asked for; where even
/// that moves nothing for as long again, the program ends with exit code 1.
class Monitor {
 public:
  Monitor(Loader& loader, const CountingResource& upstream, const Recount& recount, LawBook& book,
          std::stop_source give_up, std::chrono::steady_clock::duration stall_limit);

  struct Ticks {
    std::uint64_t count = 0;
    double seconds = 0;
  };
  /// Ends the watch. Throws what ended it early.
  Ticks stop();

 private:
  void watch(const std::stop_token& stop);
  void tick();
  /// Bytes that slabs and cache have of the heap, and the books at that instant.
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
