#include "base/machine/cpu_watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/file_start.hpp"
#include "base/machine/cgroups.hpp"
#include "base/machine/cpu_room.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"

namespace weir {
namespace {

/// The number after `key` in lines of "key value".
std::optional<std::uint64_t> value_of(std::string_view text, std::string_view key) noexcept {
  while (!text.empty()) {
    auto line = take_until(text, '\n');
    if (line.size() <= key.size() || !line.starts_with(key) || line[key.size()] != ' ') continue;
    line.remove_prefix(key.size());
    return take_number_after_blanks<std::uint64_t>(line);
  }
  return std::nullopt;
}

/// Adds what is known.
template <class T>
void add_known(std::optional<T>& sum, const std::optional<T>& more) noexcept {
  if (more) sum = sum.value_or(T{}) + *more;
}

}  // namespace

CpuLosses throttling_in(std::string_view cpu_stat) noexcept {
  CpuLosses losses;
  losses.throttled_periods = value_of(cpu_stat, "nr_throttled");
  if (const auto us = value_of(cpu_stat, "throttled_usec"))  // v2
    losses.throttle_s = static_cast<double>(*us) * 1e-6;
  else if (const auto ns = value_of(cpu_stat, "throttled_time"))  // v1
    losses.throttle_s = static_cast<double>(*ns) * 1e-9;
  return losses;
}

std::optional<std::uint64_t> steal_ticks_in(std::string_view proc_stat) noexcept {
  // "cpu user nice system idle iowait irq softirq steal guest guest_nice"
  constexpr std::string_view all_cpus = "cpu ";
  constexpr int steal = 8;
  if (!proc_stat.starts_with(all_cpus)) return std::nullopt;
  auto line = proc_stat.substr(0, proc_stat.find('\n'));
  for (int column = 0; column < steal; ++column) {
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    line.remove_prefix(std::min(line.find_first_not_of(' ', blank), line.size()));
  }
  return take_number<std::uint64_t>(line);
}

CpuWatch::CpuWatch(const std::string& root)
    : proc_stat_(root + "/proc/stat"), limit_(cpu_room(root).quota) {
  for (const auto& group : own_cgroups(root, "cpu"))
    cpu_stats_.push_back((group.folder / "cpu.stat").string());
}

CpuLosses CpuWatch::read() const noexcept {
  // Longer than the cpu.stat of today's kernels, and than the first line of /proc/stat.
  std::array<char, 2048> text{};
  CpuLosses losses;
  for (const auto& file : cpu_stats_) {
    const auto found = throttling_in(file_start(file.c_str(), text));
    add_known(losses.throttle_s, found.throttle_s);
    add_known(losses.throttled_periods, found.throttled_periods);
  }
  if (const auto ticks = steal_ticks_in(file_start(proc_stat_.c_str(), text)))
    losses.steal_s = static_cast<double>(*ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return losses;
}

}  // namespace weir
