#pragma once

#include <algorithm>
#include <cstdint>

namespace weir::conductor {

// The rules for taking work. The engine's threads and the simulation share them.

/// Untaken rows per worker, so that workers find rows while the conductor opens the next batch.
inline constexpr std::uint32_t rows_ahead_per_worker = 4;
/// Workers take small images in runs of at most about this much work. A large photograph is a run by
/// itself.
inline constexpr std::int64_t run_ns = 200'000;
inline constexpr std::uint32_t most_run_rows = 256;
/// They take no less than this part of such a run. Less would take about as long as to wake a thread.
inline constexpr std::uint32_t least_part = 16;
/// After so much time in reads and decodes, a worker leaves the rest of its run to others.
inline constexpr std::int64_t long_work_ns = 1'000'000;

/// A batch is opened only while fewer rows than this are untaken.
constexpr std::uint64_t rows_ahead(std::uint32_t workers, std::uint32_t read_ahead) noexcept {
  return std::max(rows_ahead_per_worker * workers, read_ahead);
}

/// The least rows of a run whose most are `most_rows`.
constexpr std::uint32_t least_rows(std::uint32_t most_rows) noexcept {
  return std::max(1u, most_rows / least_part);
}

/// The number of rows that a worker takes from `left` rows in the oldest run, if there are so many. The last
/// rows of a run are divided among the workers.
constexpr std::uint32_t run_share(std::uint32_t left, std::uint32_t workers,
                                  std::uint32_t most_rows) noexcept {
  return std::clamp(left / (2 * workers), least_rows(most_rows), most_rows);
}

/// The most rows to take next if `rows` took `took_ns`, which is above 0, where `before` were the most. They
/// at most double, because some rows of a cache say nothing about those that are not in it.
constexpr std::uint32_t rows_in_a_run(std::int64_t took_ns, std::uint32_t rows,
                                      std::uint32_t before) noexcept {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(run_ns * rows / took_ns, 1, std::min(2 * before, most_run_rows)));
}

}  // namespace weir::conductor
