#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <thread>

#include "base/mutex.hpp"
#include "weir/report.hpp"

namespace weir::report {

/// Resident bytes now, and the most since reset_high_water() or the process's begin; 0 but on Linux.
struct Resident {
  std::uint64_t rss = 0, high_water = 0;
};
Resident resident();
/// high_water := rss, for all who read it. False where the kernel does not let this process.
bool reset_high_water();

/// Reads the lines of proc(5)'s smaps. `page_size`: of a thread's guard page; heap_free is left 0.
ProcessParts parts_of(std::istream& smaps, std::uint64_t page_size);

/// The bytes of "VmRSS:     1234 kB" for the key "VmRSS:"; empty where the line has another key.
std::optional<std::uint64_t> kilobytes_of(std::string_view line, std::string_view key);

/// Watches this process from construction until stop(): the largest RSS and PSS. RSS is read every
/// few milliseconds and, where /proc/self/clear_refs resets the kernel's own high-water mark, is
/// exact; PSS costs the kernel a walk over the page tables, so it is read when RSS has grown, and
/// never for more than a small share of the time. One thread at a time.
class ProcessSampler {
 public:
  ProcessSampler();
  ProcessSampler(const ProcessSampler&) = delete;
  ProcessSampler& operator=(const ProcessSampler&) = delete;

  const ProcessMemory& before() const noexcept { return before_; }
  /// Ends the watch. The largest of each; the same again on a second call.
  ProcessMemory stop();

 private:
  void watch(const std::stop_token& stop);
  void sample(bool with_pss);

  ProcessMemory before_, peak_;
  bool high_water_reset_ = false;
  std::jthread thread_;
};

}  // namespace weir::report
