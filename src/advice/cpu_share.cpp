#include "advice/cpu_share.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace weir::advice {
namespace {

/// Workers that spend more of their working time without a CPU lack CPUs. That time includes waits
/// for reads, so slow storage is not taken for a lack of CPUs. One other busy thread
/// beside two workers on two CPUs, such as the trainer's, takes up to this share.
constexpr double tolerable_lack = 1.0 / 3;

/// The sums behind a CpuShare.
struct Sums {
  double work_s = 0;    ///< the workers' time in reads and decodes, and in waits for reads
  double lost_s = 0;    ///< the part of it without a CPU
  double wanted_s = 0;  ///< CPU time that they used or could have had
  double fair = 1;      ///< CPUs for each worker, at most 1
};

Sums sums_of(const QueueWaits& w) noexcept {
  const auto& [read, decode, storage_wait, memory_wait, idle] = w.workers;
  const double workers_s = read + decode + storage_wait + memory_wait + idle;
  Sums sums{.work_s = read + decode + storage_wait};
  if (!w.cpu.cpus || w.seconds <= 0 || workers_s <= 0) return sums;
  // Without the kernel's count, only the time that a limit stopped them is known.
  const double waited = w.cpu.wait_s.value_or(w.cpu.throttle_s.value_or(0));
  // Time withheld by the hypervisor is neither CPU time nor waiting. It is that of all threads, so
  // the workers' part is in proportion to their CPU time. It is at most their time without another
  // explanation.
  const double part = w.cpu.process_s > w.cpu.workers_s ? w.cpu.workers_s / w.cpu.process_s : 1.0;
  const double unexplained = std::max(0.0, read + decode - w.cpu.workers_s - waited);
  sums.lost_s = waited + std::min(part * w.cpu.steal_s.value_or(0), unexplained);
  // More workers than CPUs wait for each other. That is no lack.
  sums.fair = std::min(1.0, *w.cpu.cpus * w.seconds / workers_s);
  // The kernel's waits can be longer than the workers' time, because they are read at other moments.
  sums.wanted_s =
      std::max(w.cpu.workers_s, std::min(workers_s, sums.fair * (w.cpu.workers_s + sums.lost_s)));
  return sums;
}

/// `sign` -1: what `later` has more than `earlier`, at least 0. 1: both together. What `later` does
/// not know is not known.
template <class T>
T combined(T earlier, T later, int sign) noexcept {
  return sign > 0 ? later + earlier : later > earlier ? later - earlier : T{};
}
template <class T>
std::optional<T> combined(const std::optional<T>& earlier, const std::optional<T>& later,
                          int sign) noexcept {
  if (!later) return std::nullopt;
  return combined(earlier.value_or(T{}), *later, sign);
}

CpuUse combined(const CpuUse& a, const CpuUse& b, int sign) noexcept {
  return {.workers_s = combined(a.workers_s, b.workers_s, sign),
          .wait_s = combined(a.wait_s, b.wait_s, sign),
          .process_s = combined(a.process_s, b.process_s, sign),
          .throttle_s = combined(a.throttle_s, b.throttle_s, sign),
          .throttled_periods = combined(a.throttled_periods, b.throttled_periods, sign),
          .steal_s = combined(a.steal_s, b.steal_s, sign),
          .cpus = b.cpus,
          .limit = b.limit};
}

}  // namespace

CpuShare cpu_share(const QueueWaits& waits) noexcept {
  const auto [work_s, lost_s, wanted_s, fair] = sums_of(waits);
  if (wanted_s <= 0) return {};
  return {.had = waits.cpu.workers_s / waits.seconds,
          .wanted = wanted_s / waits.seconds,
          .lost_s = lost_s,
          .lacking = wanted_s - waits.cpu.workers_s > tolerable_lack * fair * work_s};
}

CpuCause cpu_reason(const QueueWaits& waits) {
  const auto& cpu = waits.cpu;
  const double lacked = sums_of(waits).wanted_s - cpu.workers_s;
  const auto throttling = std::min(lacked, cpu.throttle_s.value_or(0)),
             withheld = std::min(lacked, cpu.steal_s.value_or(0)),
             others = std::min(lacked, std::max(0.0, cpu.process_s - cpu.workers_s));
  const double rest = lacked - throttling - withheld - others;
  const auto most = std::max({throttling, withheld, others, rest});
  if (throttling == most && throttling > 0)
    return {(cpu.limit ? "a CPU limit of " + cpus_text(*cpu.limit) + " CPUs" : "a CPU limit") +
                " stopped them",
            "Raise the CPU limit of the container or the service"};
  if (withheld == most && withheld > 0)
    return {"the host of this virtual machine withheld the rest",
            "Use a virtual machine that has its CPUs for itself"};
  if (others == most && others > 0)
    return {"other threads of this process used " + cpus_text(others / waits.seconds),
            "Start fewer threads beside the loader"};
  return {cpu.throttle_s ? "other processes used the rest" : "other processes, or a CPU limit",
          "End the other processes, or move them to other CPUs"};
}

CpuUse between(const CpuUse& earlier, const CpuUse& later) noexcept {
  return combined(earlier, later, -1);
}

CpuUse sum(const CpuUse& earlier, const CpuUse& later) noexcept {
  return combined(earlier, later, 1);
}

CpuUse scaled(CpuUse use, double factor) noexcept {
  use.workers_s *= factor;
  use.process_s *= factor;
  for (auto* const time : {&use.wait_s, &use.throttle_s, &use.steal_s})
    if (*time) **time *= factor;
  return use;
}

std::string cpus_text(double cpus) {
  constexpr double exact_in_two_digits = 99.5;
  return format(cpus < exact_in_two_digits ? "%.2g" : "%.0f", cpus);
}

std::string cpu_text(const Verdict& verdict) {
  return "the workers had " + cpus_text(verdict.cpus_had.value_or(0)) + " of " +
         cpus_text(verdict.cpus_wanted.value_or(0)) + " CPUs: " + verdict.cpu_cause;
}

}  // namespace weir::advice
