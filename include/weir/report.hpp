#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/error.hpp"
#include "weir/ledger.hpp"
#include "weir/plan.hpp"
#include "weir/tally.hpp"

namespace weir {

/// Bytes the kernel gives for this process (Linux: /proc/self/status, smaps_rollup); 0 elsewhere.
struct ProcessMemory {
  std::uint64_t rss = 0, pss = 0;
};
ProcessMemory process_memory();

/// Resident bytes of this process by what they are for (Linux: /proc/self/smaps; 0 elsewhere). The
/// kernel walks every mapping for it: milliseconds.
struct ProcessParts {
  /// Mapped files: text, data and relocations of program and libraries.
  std::uint64_t libraries = 0;
  std::uint64_t stacks = 0;  ///< of every thread
  std::uint64_t heap = 0;    ///< where malloc keeps small blocks: brk heap and arenas of threads
  std::uint64_t pages = 0;   ///< other anonymous mappings: slabs, scratch, large blocks of malloc
  /// Of heap and pages: held by malloc and not in use (glibc: mallinfo2).
  std::uint64_t heap_free = 0;
};
ProcessParts process_parts();

struct StageClock {
  Stage stage = Stage::read;
  std::uint64_t count = 0;
  double busy_s = 0;
  std::optional<double> p50_us, p99_us;  ///< empty until they are measured
};

struct QueueClock {
  std::vector<double> occupancy;  ///< [k]: share of stream time with k batches ready
  double consumer_wait_s = 0;     ///< consumer blocked in next()
  double producer_wait_s = 0;     ///< nothing to decode although epochs remain: every slab taken
  double data_readiness = 1.0;    ///< share of next() calls that found a batch waiting
};

struct Throughput {
  double seconds = 0;  ///< first stream opened until now, or until next() said the last one ended
  double samples_per_s = 0;
  double first_batch_s = 0;  ///< stream opened until the first batch was handed over
};

/// What a Loader did. Values only: copy freely.
struct Report {
  Plan plan;
  MemorySnapshot memory;
  ProcessMemory process_before;  ///< just before the Loader was made
  ProcessMemory process_now;
  SampleTally samples;
  QueueClock queue;
  Throughput throughput;
  std::vector<StageClock> stages;
  std::optional<std::string> regime;
  std::vector<Fault> faults;  ///< the first few; see fault_count
  std::uint64_t fault_count = 0;
  std::uint64_t postings = 0;  ///< changes made to the books
};

}  // namespace weir
