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

/// Readers take runs, too, after so many reads in a row without a run that took `slow_run_ns`. Then
/// threads wake each other once for many rows. The rows behind a slow read wait for it, so storage that
/// is slow at times gets each row its own reader.
inline constexpr std::uint32_t enough_fast_reads = 512;
inline constexpr std::int64_t slow_run_ns = 1'000'000;

/// The number of rows in a run of reads. Half of the reads ahead stay for other readers.
constexpr std::uint32_t reads_in_a_run(std::uint32_t read_ahead, std::uint32_t most_rows) noexcept {
  return std::min(most_rows, std::max(1u, (read_ahead + 1) / 2));
}

/// The number of rows to take next if `rows` took `took_ns`, which is above 0.
constexpr std::uint32_t rows_in_a_run(std::int64_t took_ns, std::uint32_t rows) noexcept {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(run_ns * rows / took_ns, 1, most_run_rows));
}

}  // namespace weir::conductor
