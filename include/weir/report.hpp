#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/cache.hpp"
#include "weir/error.hpp"
#include "weir/export.hpp"
#include "weir/ledger.hpp"
#include "weir/memory.hpp"
#include "weir/plan.hpp"
#include "weir/tally.hpp"

namespace weir {

/// Bytes the kernel gives for this process (Linux: /proc/self/status, smaps_rollup); 0 elsewhere.
struct ProcessMemory {
  std::uint64_t rss = 0;  ///< resident
  std::uint64_t pss = 0;  ///< of pages that several processes share, the share
};
/// Now. Any thread.
WEIR_API ProcessMemory process_memory();

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
/// Now. Any thread.
WEIR_API ProcessParts process_parts();

/// How long one kind of work took. Sums, so that two readings can be subtracted.
struct Timing {
  std::uint64_t count = 0;  ///< how often
  double sum_s = 0;         ///< in all
  double squares_s2 = 0;    ///< sum of the squares
};

/// read: one sample's bytes. wait: parked until its bytes were granted. decode: header and pixels.
/// fit: resampling, and the user's transform. handoff: a batch lay in the queue. lease: the consumer
/// held it.
struct StageStats {
  Stage stage = Stage::read;       ///< which one
  std::uint64_t count = 0;         ///< samples; batches: handoff, lease
  double busy_s = 0;               ///< in all, of all threads
  double squares_s2 = 0;           ///< sum of the squares of the times
  std::uint64_t bytes = 0;         ///< encoded: read, decode; waited for: wait; pixels: the others
  std::optional<double> p50_us{};  ///< the median, within 2 %; empty where count is 0
  std::optional<double> p90_us{};  ///< the 90th percentile, likewise
  std::optional<double> p99_us{};  ///< the 99th percentile, likewise
  double cpu_s = 0;                ///< read; decode, with its fit: CPU time of one in sixteen
  double cpu_busy_s = 0;           ///< of how long on the clock
  std::uint64_t cpu_count = 0;     ///< how many those were
};

/// What workers did with their time, summed over all of them, from when a stream opens until it ends:
/// the parts add up to the number of workers times QueueStats::seconds.
struct WorkerTime {
  double read_s = 0;          ///< reading (read_ahead = 0)
  double decode_s = 0;        ///< decoding and fitting, and all that is none of the others
  double storage_wait_s = 0;  ///< waiting for reads that were under way
  double memory_wait_s = 0;   ///< held up by the budget: a sample or a slab waited for bytes
  double idle_s = 0;          ///< nothing to do: every place in the queue taken, or no samples left
};

/// Who waited for whom. Sums, so that two readings can be subtracted.
struct QueueWaits {
  double seconds = 0;  ///< during which a stream was open
  /// The consumer blocked in next(); or, of one that tries, from a try that found nothing until a
  /// batch is had.
  double consumer_wait_s = 0;
  /// consumer_wait_s by what it waited for, as in Mohan et al., "Analyzing and Mitigating Data Stalls
  /// in DNN Training" (VLDB 2021): fetching, preprocessing; and here the budget. They find the parts
  /// by running again without the storage, then without the decoding. Here each wait, by itself, is
  /// shared out as the workers' time in it: read_s and storage_wait_s, decode_s, memory_wait_s. So what
  /// workers did while batches lay ready has no weight, and a run that changes is seen to. Time of
  /// workers with nothing to do is left out; a wait in which none had is prep, the hand-over's.
  double storage_wait_s = 0;
  double decode_wait_s = 0;  ///< likewise: preprocessing
  double memory_wait_s = 0;  ///< likewise: the budget
  WorkerTime workers{};      ///< what they did meanwhile
};

/// How full the queue was, and who waited for whom.
struct QueueStats : QueueWaits {
  std::vector<double> occupancy;    ///< [k]: share of `seconds` with k batches ready
  double producer_wait_s = 0;       ///< WorkerTime::idle_s a worker
  double data_readiness = 1.0;      ///< share of next() calls that found a batch waiting
  std::uint64_t batches = 0;        ///< such calls that gave a batch
  std::uint64_t batches_ready = 0;  ///< those of them that found one
  Timing consumer{};                ///< handed a batch until the next next()
};

/// How fast it went.
struct Throughput {
  double seconds = 0;  ///< first stream opened until now, or until next() said the last one ended
  double samples_per_s = 0;  ///< handed over
  double first_batch_s = 0;  ///< stream opened until the first batch was handed over
};

/// What was handed over where images keep their own sizes.
struct SizeStats {
  std::uint64_t images = 0;       ///< in all
  std::uint64_t image_bytes = 0;  ///< of their pixels
  std::uint64_t block_bytes = 0;  ///< of the blocks they came in, padding included
  /// Share of block_bytes that is of no image.
  double padding() const noexcept {
    return block_bytes == 0
               ? 0
               : 1 - static_cast<double>(image_bytes) / static_cast<double>(block_bytes);
  }
};

/// What a Loader did. Values only: copy freely.
struct Report {
  Plan plan;                          ///< what it was to do
  Setting setting;                    ///< in force now
  std::vector<std::string> moves;     ///< of Tuning::automatic, the first thousand
  std::vector<std::string> stalls;    ///< what the watchdog told, the first thousand
  MemorySnapshot memory;              ///< the books
  ProcessMemory process_before;       ///< just before the Loader was made
  ProcessMemory process_now;          ///< beside the books
  SampleTally samples;                ///< where every sample is
  QueueStats queue;                   ///< who waited for whom
  Throughput throughput;              ///< how fast
  std::vector<StageStats> stages;     ///< one for each Stage, in its order
  std::optional<std::string> regime;  ///< of all the time until now
  std::string regime_why;             ///< the numbers that decide it
  std::vector<Fault> faults;          ///< the first few; see fault_count
  std::uint64_t fault_count = 0;      ///< all of them
  std::array<std::uint64_t, fault_kind_count> fault_kinds{};  ///< all faults, by FaultKind
  std::uint64_t postings = 0;                                 ///< changes made to the books
  std::uint64_t readings = 0;        ///< times and events noted by the clocks
  SizeStats sizes{};                 ///< where images keep their own sizes
  CacheStats cache{};                ///< where samples are kept from epoch to epoch
  std::uint64_t source_samples = 0;  ///< in the source
  PinnedUse pinned{};                ///< of the PinnedMemory that slabs come from
  std::string pinned_note;  ///< what it did not lock, with the driver's reason; empty: nothing
};

}  // namespace weir
