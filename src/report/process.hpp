#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <thread>

#include "base/mutex.hpp"
#include "weir/report.hpp"

namespace weir::report {

/// Resident bytes now, and the maximum since reset_high_water() or the start of the process. 0
/// except on Linux.
struct Resident {
  std::uint64_t rss = 0, high_water = 0;
};
Resident resident();
/// Sets high_water to rss for all readers. Returns false if the kernel does not allow it.
bool reset_high_water();

/// Parses smaps of proc(5). `page_size` is the size of a guard page. heap_free stays 0.
ProcessParts parts_of(std::istream& smaps, std::uint64_t page_size);

/// The bytes in "VmRSS:     1234 kB" for the key "VmRSS:". Empty if the line has another key.
std::optional<std::uint64_t> kilobytes_of(std::string_view line, std::string_view key);

/// Measures the maximum RSS and PSS of this process from construction to stop(). It reads RSS every
/// few milliseconds. The result is exact if /proc/self/clear_refs can reset the kernel's high-water
/// mark. For PSS the kernel walks the page tables, so it is read only when RSS has grown, and for a
/// small share of the time. One thread at a time.
class ProcessSampler {
 public:
  ProcessSampler();
  ProcessSampler(const ProcessSampler&) = delete;
  ProcessSampler& operator=(const ProcessSampler&) = delete;

  const ProcessMemory& before() const noexcept { return before_; }
  /// Stops the measurement and returns the maxima. A second call returns the same.
  ProcessMemory stop();

 private:
  void watch(const std::stop_token& stop);
  void sample(bool with_pss);

  ProcessMemory before_, peak_;
  bool high_water_reset_ = false;
  std::jthread thread_;
};

}  // namespace weir::report
