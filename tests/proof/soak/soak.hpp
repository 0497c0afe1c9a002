#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/laws.hpp"
#include "proof/soak/misfortune.hpp"
#include "proof/soak/trend.hpp"

namespace weir::test {

/// What a soak saw, looked at whenever no loader was there.
struct SoakResult {
  struct Look {
    double seconds = 0, cpu_s = 0;
    std::uint64_t rows = 0;
    std::int64_t heap = 0, rss = 0;
    int threads = 0, descriptors = 0;
  };
  std::vector<Look> looks;
  std::uint64_t loaders = 0, streams = 0, cancelled = 0, ended_in_error = 0, faults = 0;
  std::uint64_t cache_hits = 0;
  std::uint64_t unexpected = 0;  ///< streams that no fault may end, and no refused memory ended
  std::uint64_t ticks = 0;       ///< of the monitors
  std::uint64_t outlived = 0;    ///< bytes of slabs that a loader left behind
  std::vector<std::string> stalls;
  std::array<cli::LawFigures, cli::law_count> laws;
  std::array<std::uint64_t, Misfortune::kinds> struck{};

  /// Bytes a minute, the first fifth left out: by then every setting has had its turns. Of RSS the first
  /// half: what the allocator keeps for threads that come and go levels off later.
  Trend heap() const;
  Trend rss() const;
  /// Bytes, over the second half, by its straight line.
  double rss_growth() const;
  /// Rows a second of CPU time in the last third over those in the first (of what heap() looks at); 0
  /// where each is not yet a turn through the settings.
  double pace() const;
  std::string text() const;
};

/// Loaders of sixteen settings, made and destroyed one after another, each with some streams, of
/// which some are cancelled by another thread and some left in the middle; each read, file, transform
/// and allocation goes wrong one time in a hundred, and the consumer stalls as often. Every third loader
/// reads a folder of files, of which some are gone, empty or a FIFO.
SoakResult soak(double seconds);

}  // namespace weir::test
