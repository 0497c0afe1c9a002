#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/error.hpp"
#include "weir/export.hpp"
#include "weir/ledger.hpp"
#include "weir/memory.hpp"
#include "weir/plan.hpp"

namespace weir {

/// Memory of this process in bytes, from the kernel (Linux: /proc/self/status, smaps_rollup). 0 on
/// other systems.
struct ProcessMemory {
  std::uint64_t rss = 0;  ///< resident bytes
  /// Proportional set size: each shared page is divided among its processes.
  std::uint64_t pss = 0;
};
/// The current values. Any thread.
WEIR_API ProcessMemory process_memory();

/// Resident bytes of this process by purpose (Linux: /proc/self/smaps; 0 on other systems). A call
/// takes milliseconds, because the kernel walks every mapping.
struct ProcessParts {
  /// Mapped files: text, data and relocations of the program and its libraries.
  std::uint64_t libraries = 0;
  std::uint64_t stacks = 0;  ///< stacks of all threads
  std::uint64_t heap = 0;    ///< small blocks of malloc: brk heap and the arenas of threads
  std::uint64_t pages = 0;   ///< other anonymous mappings: slabs, scratch, large blocks of malloc
  /// Free memory that malloc keeps (glibc: mallinfo2). What is resident is part of heap and pages.
  std::uint64_t heap_free = 0;
};
/// The current values. Any thread.
WEIR_API ProcessParts process_parts();

/// What the rows show of one plane, and the time of its decodes. `ok`, `damaged`, `absent` and
/// `broken` count rows whose image is sound, whether or not their batch was consumed.
struct PlaneStats {
  std::string name;           ///< PlaneOptions::name
  std::uint64_t ok = 0;       ///< PlaneStatus::ok
  std::uint64_t damaged = 0;  ///< PlaneStatus::damaged
  std::uint64_t absent = 0;   ///< PlaneStatus::absent
  std::uint64_t broken = 0;   ///< PlaneStatus::broken
  /// Number of its decodes. Partners of rows have more than the rows show, samples from a decoded
  /// cache have none.
  std::uint64_t decodes = 0;
  double decode_s = 0;  ///< time of its decodes with fit, over all threads
};

/// Duration of one kind of work. All members are sums, so two readings can be subtracted.
struct Timing {
  std::uint64_t count = 0;  ///< number of times
  double sum_s = 0;         ///< total duration
  double squares_s2 = 0;    ///< sum of the squared durations
};

/// Statistics of one stage. read: the bytes of one sample. wait: a sample waits until the budget
/// has room. decode: header and pixels. fit: resampling and the user's transform. handoff: a batch
/// is ready in the queue. lease: the consumer holds a batch. copy: a device reads a batch, from its
/// release (Batch::release_when) or the end of the copy before it, whichever is later, until weir
/// sees its end: at most 250 us late. So busy_s is the time during which a device had to read.
struct WEIR_API StageStats {
  Stage stage = Stage::read;  ///< the stage
  /// Number of samples (with partners: all samples of a row together count as one), or of batches for
  /// handoff, lease and copy.
  std::uint64_t count = 0;
  double busy_s = 0;      ///< total duration over all threads
  double squares_s2 = 0;  ///< sum of the squared durations
  /// Encoded bytes for read and decode, requested bytes for wait, bytes of images and planes otherwise.
  std::uint64_t bytes = 0;
  /// For read, and decode with fit: CPU time of the measured calls: one in 16, and each that follows one
  /// of a millisecond or more.
  double cpu_s = 0;
  double cpu_busy_s = 0;        ///< wall time of those calls
  std::uint64_t cpu_count = 0;  ///< number of those calls
  /// Histogram of the durations: counts by bin, empty if count is 0. Bin 0 is below 10 ns, bin i
  /// begins at 10 ns * 1.04^(i-1), the last bin is above 1000 s.
  std::vector<std::uint64_t> times{};

  /// The duration below which `share` of `times` are, in microseconds, within 2 %: of 0.5 the
  /// median. Empty if there are none.
  std::optional<double> quantile_us(double share) const noexcept;
};

/// What the workers did, summed over all of them while a stream was open. Unless a knob changes
/// the number of workers, the sum of all parts is that number times QueueStats::seconds.
struct WorkerTime {
  double read_s = 0;          ///< reading in the worker (read_ahead = 0)
  double decode_s = 0;        ///< decoding, fitting and everything else
  double storage_wait_s = 0;  ///< waiting for a read in progress
  double memory_wait_s = 0;   ///< waiting for the budget: a sample or a slab needs bytes
  double idle_s = 0;          ///< nothing to do: no free queue slot, or no samples left
};

/// CPU time of the workers, and what kept it from them. All members but `cpus` and `limit` are sums
/// over the time during which a stream was open.
struct CpuUse {
  double workers_s = 0;  ///< CPU time of the workers, also in their reads
  /// Time during which workers were ready to run and had no CPU (Linux: schedstat). Empty: not
  /// known.
  std::optional<double> wait_s{};
  double process_s = 0;  ///< CPU time of all threads of the process, workers included
  /// Time during which a CPU limit stopped threads, summed over CPUs (cgroup: cpu.stat). Other
  /// processes of the cgroup count, too. Empty: not known.
  std::optional<double> throttle_s{};
  /// Number of periods of the limit in which that happened. Empty: not known.
  std::optional<std::uint64_t> throttled_periods{};
  /// CPU time that the hypervisor withheld from this virtual machine, over all of its CPUs (Linux:
  /// steal in /proc/stat). Empty: not known.
  std::optional<double> steal_s{};
  /// CPUs on which the workers may run. Empty: nothing was measured.
  std::optional<std::uint32_t> cpus{};
  std::optional<double> limit{};  ///< CPU limit of the process (cgroup), in CPUs; empty: none
};

/// Who waited, and for what. All members but `encoded` and two of `cpu` are sums, so two readings can
/// be subtracted.
struct QueueWaits {
  double seconds = 0;  ///< time during which a stream was open
  /// Time during which the consumer was blocked in next(). A consumer that polls waits from the
  /// first empty result until it gets a batch. Of Requests, only while a batch is asked for.
  double consumer_wait_s = 0;
  /// consumer_wait_s is divided by cause: reading, decoding, the budget and a device. The first two
  /// are the fetch and prep stalls of Mohan et al., "Analyzing and Mitigating Data Stalls in DNN Training"
  /// (VLDB 2021). They measure the parts by runs without storage and without decoding. weir divides
  /// each wait in proportion to the workers' time during that wait: read_s and storage_wait_s,
  /// decode_s, memory_wait_s. So the workers' time has no weight while batches are ready, and
  /// changes during the run are correct. Idle time of workers has no weight either. If all workers
  /// were idle during a wait, the wait counts as decode_wait_s.
  ///
  /// This part is the wait for reading.
  double storage_wait_s = 0;
  double decode_wait_s = 0;  ///< the wait for decoding
  double memory_wait_s = 0;  ///< the wait for the budget
  /// Another part of consumer_wait_s: every lease was in use, and a device still read at least one
  /// of those batches (Batch::release_when).
  double device_wait_s = 0;
  WorkerTime workers{};  ///< the workers' time
  CpuUse cpu{};          ///< the workers' CPU time
  /// Decode::none. Then decode_s and decode_wait_s are for headers and for copies to the slab.
  bool encoded = false;
};

/// Fill level of the queue, and who waited.
struct QueueStats : QueueWaits {
  /// [k]: share of `seconds` with k ready batches, up to max_queue_size. Of more than 64 levels,
  /// those that the slabs cannot reach yet are left out.
  std::vector<double> occupancy;
  double producer_wait_s = 0;       ///< WorkerTime::idle_s divided by the number of workers
  double data_readiness = 1.0;      ///< share of next() calls that found a batch ready
  std::uint64_t batches = 0;        ///< number of next() calls that returned a batch
  std::uint64_t samples = 0;        ///< rows in those batches, without padding rows
  std::uint64_t batches_ready = 0;  ///< number of those calls that found a batch ready
  Timing consumer{};                ///< from the delivery of a batch to the next call of next()
  std::vector<double> consumer_times{};  ///< the last 512 of these times, oldest first, in seconds
};

/// The speed of a loader.
struct Throughput {
  /// From the start of the first stream until now, or until next() reported the end of the last
  /// stream.
  double seconds = 0;
  /// Delivered rows per second, without padding rows: a row with partners or a blank row counts once.
  double samples_per_s = 0;
  double first_batch_s = 0;  ///< from the start of the stream to the first batch; 0: none
};

/// Statistics of delivered images with their own sizes.
struct SizeStats {
  std::uint64_t images = 0;       ///< number of images
  std::uint64_t image_bytes = 0;  ///< bytes of their pixels
  std::uint64_t block_bytes = 0;  ///< bytes of their blocks, including padding
  /// Share of block_bytes that belongs to no image.
  double padding() const noexcept {
    return block_bytes == 0
               ? 0
               : 1 - static_cast<double>(image_bytes) / static_cast<double>(block_bytes);
  }
};

/// The statistics of a Loader. It contains only values and can be copied freely.
struct Report {
  Plan plan;                        ///< the resolved options
  std::string options;              ///< the requested ones, as Options::parse() reads them
  Setting setting;                  ///< the current knobs
  std::vector<std::string> moves;   ///< moves of Tuning::automatic, at most the first thousand
  std::vector<std::string> stalls;  ///< texts of the watchdog, at most the first thousand
  MemorySnapshot memory;            ///< the ledger
  ProcessMemory process_now;        ///< process memory now
  SampleTally samples;              ///< samples by state
  SlabBytes slabs{};                ///< the slabs by column
  QueueStats queue;                 ///< queue and waits
  Throughput throughput;            ///< speed
  std::vector<StageStats> stages;   ///< one per Stage, in the order of Stage
  /// The regime since the first stream. judge() of `queue` says why.
  std::optional<std::string> regime;
  std::vector<Fault> faults;                                  ///< the first faults; see fault_count
  std::uint64_t fault_count = 0;                              ///< number of all faults
  std::array<std::uint64_t, fault_kind_count> fault_kinds{};  ///< number of all faults by FaultKind
  std::uint64_t postings = 0;                                 ///< number of changes in the ledger
  std::uint64_t readings = 0;        ///< number of times and events in the statistics
  SizeStats sizes{};                 ///< for images with their own sizes
  std::vector<PlaneStats> planes;    ///< one per plane, in the order of Options::planes
  CacheStats cache{};                ///< counters of the cache, read a moment after `memory`
  std::uint64_t source_samples = 0;  ///< number of samples in the source
  PinnedUse pinned{};                ///< use of the PinnedMemory
  std::uint64_t trace_lost = 0;      ///< events that did not fit in the trace (trace.events)
  std::string pinned_note;  ///< what was not page-locked, with the driver's reason; empty: nothing
};

}  // namespace weir
