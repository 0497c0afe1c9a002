#include "report/process.hpp"

#include <algorithm>
#include <exception>
#include <fstream>
#include <string>

#include "base/numbers.hpp"
#include "base/pause.hpp"

namespace weir::report {
namespace {

constexpr auto tick = std::chrono::milliseconds(4);
constexpr std::uint64_t growth_worth_a_look = 256ull * 1024;
// Reading PSS takes at most 1 / pss_share of the time.
constexpr int pss_share = 20;

std::uint64_t pss_now() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);)
    if (const auto bytes = kilobytes_of(line, "Pss:")) return *bytes;
  return 0;
}

}  // namespace

std::optional<std::uint64_t> kilobytes_of(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  line.remove_prefix(std::min(line.find_first_of("0123456789", key.size()), line.size()));
  return take_number<std::uint64_t>(line).value_or(0) * 1024;
}

Resident resident() {
  Resident found;
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {  // VmHWM comes before VmRSS in this file
    if (const auto high = kilobytes_of(line, "VmHWM:")) found.high_water = *high;
    if (const auto now = kilobytes_of(line, "VmRSS:")) {
      found.rss = *now;
      break;
    }
  }
  return found;
}

bool reset_high_water() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;  // proc(5): resets VmHWM to VmRSS
  return file.good();
}

ProcessSampler::ProcessSampler() {
  high_water_reset_ = reset_high_water();
  before_ = peak_ = process_memory();
  thread_ = std::jthread([this](const std::stop_token& stop) {
    try {
      watch(stop);
    } catch (const std::exception&) {
      // No memory for a measurement. stop() makes the last one, and the kernel has the peak.
    }
  });
}

ProcessMemory ProcessSampler::stop() {
  if (!thread_.joinable()) return peak_;
  thread_.request_stop();
  thread_.join();
  sample(true);
  if (high_water_reset_) peak_.rss = std::max(peak_.rss, resident().high_water);
  return peak_;
}

void ProcessSampler::sample(bool with_pss) {
  peak_.rss = std::max(peak_.rss, resident().rss);
  if (with_pss) peak_.pss = std::max(peak_.pss, pss_now());
}

void ProcessSampler::watch(const std::stop_token& stop) {
  auto pss_not_before = Clock::now();
  std::uint64_t rss_at_last_pss = before_.rss;
  while (pause(stop, tick)) {
    const auto now = Clock::now();
    const bool grown = peak_.rss >= rss_at_last_pss + growth_worth_a_look && now >= pss_not_before;
    sample(grown);
    if (!grown) continue;
    rss_at_last_pss = peak_.rss;
    pss_not_before = now + pss_share * (Clock::now() - now);
  }
}

}  // namespace weir::report

weir::ProcessMemory weir::process_memory() { return {report::resident().rss, report::pss_now()}; }
