#pragma once

#include <algorithm>
#include <cstdint>

namespace weir::conductor {

// How work is pulled, by the engine's threads and by those of the simulation alike.

/// Rows a worker is sure to find while the conductor opens the next batch.
inline constexpr std::uint32_t rows_ahead_per_worker = 4;
/// Small images are taken in runs of about this much work; a photograph is a run of its own.
inline constexpr std::int64_t run_ns = 200'000;
inline constexpr std::uint32_t most_run_rows = 32;

/// A batch is opened only while fewer rows than this are untaken.
constexpr std::uint64_t rows_ahead(std::uint32_t workers, std::uint32_t read_ahead) noexcept {
  return std::max(rows_ahead_per_worker * workers, read_ahead);
}

/// Rows that a worker takes at once of the `left` in the oldest run, at most `most_rows`: the last
/// ones are shared out.
constexpr std::uint32_t run_share(std::uint32_t left, std::uint32_t workers,
                                  std::uint32_t most_rows) noexcept {
  return std::min(most_rows, std::max(1u, left / (2 * workers)));
}

/// How many rows to take next, where `rows` took that long. `took_ns` > 0.
constexpr std::uint32_t rows_in_a_run(std::int64_t took_ns, std::uint32_t rows) noexcept {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(run_ns * rows / took_ns, 1, most_run_rows));
}

}  // namespace weir::conductor
