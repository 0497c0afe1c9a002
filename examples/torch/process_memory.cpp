#include "process_memory.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>

namespace trainer {

using namespace std::chrono_literals;

std::uint64_t pss_bytes() {
  std::ifstream in("/proc/self/smaps_rollup");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("Pss:")) return std::strtoull(line.c_str() + 4, nullptr, 10) << 10;
  return 0;
}

PssWatch::PssWatch()
    : thread_([this] {
        while (!stop_) {
          peak_ = std::max(peak_.load(), pss_bytes());
          std::this_thread::sleep_for(5ms);
        }
      }) {}

PssWatch::~PssWatch() {
  stop_ = true;
  thread_.join();
}

void wait_until_still() {
  using Clock = std::chrono::steady_clock;
  auto most = pss_bytes();
  for (auto since = Clock::now(); Clock::now() - since < 333ms; std::this_thread::sleep_for(20ms))
    if (const auto now = pss_bytes(); now > most + most / 1000) {
      most = now;
      since = Clock::now();
    }
}

}  // namespace trainer
