#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "proof/soak/misfortune.hpp"
#include "proof/soak/trend.hpp"
#include "support/rig/laws.hpp"

namespace weir::test {

/// The results of a soak, sampled whenever no loader exists.
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
  std::uint64_t unexpected = 0;  ///< errors of streams without a permitted cause
  std::uint64_t ticks = 0;       ///< of the monitors
  std::uint64_t outlived = 0;    ///< bytes of slabs that remained after a loader
  std::vector<std::string> stalls;
  std::array<LawFigures, law_count> laws;
  std::array<std::uint64_t, Misfortune::kinds> struck{};

  /// Bytes a minute, without the first fifth, in which every setting has run. For RSS without the
  /// first half, because the allocator's memory for threads levels off later.
  Trend heap() const;
  Trend rss() const;
  /// Bytes, over the second half, from its straight line.
  double rss_growth() const;
  /// Rows a second of CPU time in the last third, relative to the first (of the samples of heap()).
  /// 0 if a third is shorter than one round through the settings.
  double pace() const;
  std::string text() const;
};

/// Creates and destroys loaders of sixteen settings, one after another, each with some streams.
/// Another thread cancels some streams, and some are left in the middle. Each read, file, transform
/// and allocation fails one time in a hundred, and the consumer stalls as often. Every third loader
/// reads a folder of files, in which some files are gone, empty or a FIFO.
SoakResult soak(double seconds);

}  // namespace weir::test
