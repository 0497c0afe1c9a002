#pragma once

#include <string>
#include <string_view>

#include "weir/advice.hpp"

namespace weir::advice {

/// The CPU time of the workers, as mean numbers of CPUs.
struct CpuShare {
  std::optional<double> had{};     ///< they used, if it was measured
  std::optional<double> wanted{};  ///< they used or waited for, at most those that there are
  double lost_s = 0;               ///< the workers' time without a CPU, in total
  /// Whether the lack of CPUs made their work take half as long again, or more.
  bool lacking = false;
};
CpuShare cpu_share(const QueueWaits& waits) noexcept;

/// Who had the CPUs that the workers lacked.
struct CpuCause {
  std::string text;         ///< "a CPU limit of 0.5 CPUs stopped them"
  std::string_view remedy;  ///< "Raise the CPU limit"
};
CpuCause cpu_reason(const QueueWaits& waits);

/// `later` less `earlier`.
CpuUse between(const CpuUse& earlier, const CpuUse& later) noexcept;
/// Both uses, one after the other. What `later` does not know is not known.
CpuUse sum(const CpuUse& earlier, const CpuUse& later) noexcept;
/// The use of `factor` times as much work.
CpuUse scaled(CpuUse use, double factor) noexcept;

/// "0.5", "1.9", "12".
std::string cpus_text(double cpus);
/// "the workers had 0.5 of 2 CPUs: a CPU limit of 0.5 CPUs stopped them"
std::string cpu_text(const Verdict& verdict);

}  // namespace weir::advice
