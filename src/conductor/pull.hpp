#pragma once

#include <algorithm>
#include <cstdint>

namespace weir::conductor {

// The rules for taking work. The engine's threads and the simulation share them.

/// Untaken rows per worker, so that workers find rows while the conductor opens the next batch.
inline constexpr std::uint32_t rows_ahead_per_worker = 4;
/// Workers take small images in runs of about this much work. A large photograph is a run by
/// itself.
inline constexpr std::int64_t run_ns = 200'000;
inline constexpr std::uint32_t most_run_rows = 32;
/// After so much time in reads, a worker leaves the rest of its run to others.
inline constexpr std::int64_t long_reads_ns = 1'000'000;

/// A batch is opened only while fewer rows than this are untaken.
constexpr std::uint64_t rows_ahead(std::uint32_t workers, std::uint32_t read_ahead) noexcept {
  return std::max(rows_ahead_per_worker * workers, read_ahead);
}

/// The number of rows that a worker takes from `left` rows in the oldest run, at most `most_rows`.
/// The last rows of a run are divided among the workers.
constexpr std::uint32_t run_share(std::uint32_t left, std::uint32_t workers,
                                  std::uint32_t most_rows) noexcept {
  return std::min(most_rows, std::max(1u, left / (2 * workers)));
}

/// The number of rows to take next if `rows` took `took_ns`, which is above 0.
constexpr std::uint32_t rows_in_a_run(std::int64_t took_ns, std::uint32_t rows) noexcept {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(run_ns * rows / took_ns, 1, most_run_rows));
}

}  // namespace weir::conductor
