#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace trainer {

/// Proportional set size of this process, from /proc/self/smaps_rollup; 0 if it does not exist.
std::uint64_t pss_bytes();

/// Samples the PSS every few milliseconds while it exists, and keeps the maximum.
class PssWatch {
 public:
  PssWatch();
  ~PssWatch();
  PssWatch(const PssWatch&) = delete;
  PssWatch& operator=(const PssWatch&) = delete;
  std::uint64_t peak() const { return peak_; }

 private:
  std::atomic<std::uint64_t> peak_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// Returns once the PSS has not grown for a third of a second.
void wait_until_still();

}  // namespace trainer
