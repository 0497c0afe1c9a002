#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>

/// The bins of StageStats::times.
namespace weir::time_bins {

inline constexpr double shortest_s = 1e-8, longest_s = 1e3;
/// ln(1e11) / ln(1.04). The middle of a bin is within 2 % of both edges.
inline constexpr std::size_t bins = 646;
/// The first and the last counter hold times below and above all bins.
inline constexpr std::size_t counters = bins + 2;

inline std::size_t bin_of(double s) noexcept {
  if (s >= longest_s) return bins + 1;
  if (!(s >= shortest_s)) return 0;
  const double share = std::log(s / shortest_s) / std::log(longest_s / shortest_s);
  return 1 + std::min(bins - 1, static_cast<std::size_t>(share * bins));
}

/// Seconds in the middle of a bin. Outside the bins only the nearest edge is known.
inline double middle_of(std::size_t bin) noexcept {
  if (bin == 0) return shortest_s;
  if (bin > bins) return longest_s;
  return shortest_s * std::pow(longest_s / shortest_s, (static_cast<double>(bin) - 0.5) / bins);
}

/// The seconds below which `share` of the times are (nearest rank). Empty if `counts` has none.
inline std::optional<double> quantile_s(std::span<const std::uint64_t> counts,
                                        double share) noexcept {
  const auto all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (all == 0) return std::nullopt;
  const auto rank = std::clamp<std::uint64_t>(
      static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(all))), 1, all);
  std::size_t bin = 0;
  for (auto up_to = counts[0]; up_to < rank;) up_to += counts[++bin];
  return middle_of(bin);
}

}  // namespace weir::time_bins
