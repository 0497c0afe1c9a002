#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "books/accounts.hpp"
#include "report/pictures.hpp"
#include "weir/advice.hpp"
#include "weir/image.hpp"
#include "weir/report.hpp"

namespace weir::report {

/// One measurement of a running loader.
struct TimelinePoint {
  double seconds = 0;          ///< since the start of the stream
  std::uint64_t consumed = 0;  ///< samples so far
  std::uint32_t filling = 0, ready = 0, leased = 0;
  std::uint64_t live = 0;
  AccountBytes accounts{};
};

/// The results of one command for one Loader: the library's Report, and measurements of the
/// program.
struct Run {
  Report figures;
  ProcessMemory process_before;  ///< before the construction of the Loader
  ProcessMemory process_peak;    ///< maximum until the Loader was destroyed
  ProcessMemory process_after;   ///< after the Loader was destroyed
  ProcessParts parts_before;     ///< at the time of process_before
  ProcessParts parts_now;        ///< at the time of figures.memory, with an open stream
  double cpu_s = 0;              ///< CPU time of the process during the stream
  double posting_ns = 0;         ///< time of one posting to the ledger, measured after the run
  double reading_ns = 0;         ///< time of one measurement of the clock, measured after the run
  std::string budget_how;        ///< how `auto` was computed; empty if bytes were given
  std::string sample_how;        ///< what was measured of the samples; empty if nothing was
  std::string slab_note;         ///< requests that the kernel refused for slabs; empty if none
  std::string digest;            ///< empty if not requested
  std::string error;             ///< why the run ended early; empty if it did not
  /// Why the trace, the progress or the samples could not be written; null if they could.
  std::exception_ptr output_failure;
  std::optional<Interval> evidence;  ///< of figures, without the time in which the loader settles
  bool interrupted = false;
  std::vector<TimelinePoint> timeline;  ///< of the stream, oldest point first
  double timeline_interval_s = 0;
  std::vector<PicturedRow> pictures;  ///< of the first batch, for the page; empty without one
};

/// Bytes of all slabs by column. The names are those of Plan::columns().
std::vector<std::pair<std::string, std::uint64_t>> slab_columns(const Plan& plan,
                                                                const SlabBytes& slabs);

/// Whether a row whose sample failed is delivered, as blank.
bool has_blank_rows(const Plan& plan);
/// What rates count: "samples", or "rows" if a row can have several samples or be blank.
std::string_view counted(const Plan& plan);
/// Whether Tuning::automatic may move the knobs. Then those of the plan are bounds.
bool is_tuned(const Plan& plan);

/// Samples that were drawn ahead of the consumer and not used.
constexpr std::uint64_t unused(const SampleTally& samples) noexcept {
  return samples.drawn - samples.consumed - samples.failed;
}

/// Bytes of all slabs.
constexpr std::uint64_t staging_bytes(const AccountBytes& accounts) noexcept {
  std::uint64_t bytes = 0;
  for (const auto account : books::accounts_of<true>())
    bytes += accounts[static_cast<std::size_t>(account)];
  return bytes;
}

/// Growth of the process less `memory.peak`. Positive: memory outside the ledger. Negative: charged
/// memory for which the kernel has not provided pages yet.
constexpr std::int64_t unaccounted(const Run& run) noexcept {
  return static_cast<std::int64_t>(run.process_peak.rss) -
         static_cast<std::int64_t>(run.process_before.rss) -
         static_cast<std::int64_t>(run.figures.memory.peak);
}

/// Growth of one kind of memory from the start to the end.
constexpr std::int64_t grown(const Run& run, std::uint64_t ProcessParts::*part) noexcept {
  return static_cast<std::int64_t>(run.parts_now.*part) -
         static_cast<std::int64_t>(run.parts_before.*part);
}

/// The cost of accounting: nanoseconds per event, events per sample, nanoseconds per sample, and
/// their share of the CPU time.
struct AccountingCost {
  double event_ns = 0, events_per_sample = 0, ns_per_sample = 0, share_of_cpu = 0;
};
/// The cost of the ledger, where events are postings, and of the statistics, where events are
/// readings.
AccountingCost books_cost(const Run& run) noexcept;
AccountingCost stats_cost(const Run& run) noexcept;

/// Measures nanoseconds per posting on this machine: the median of several bursts on a separate
/// ledger. Takes a few milliseconds.
double measure_posting_ns();

/// Maximum bytes of all ranks on this machine, each with its own index.
std::uint64_t node_bytes(const Plan& plan) noexcept;
/// 1, 2, 4 … up to 16 or the plan's depth, and the plan's depth.
std::vector<std::uint32_t> default_depths(const Plan& plan);

/// Pixel bytes of one batch. Rows are batch sizes, columns are sides of a square image with three
/// channels.
struct Grid {
  ElementType type = ElementType::u8;
  std::vector<std::uint64_t> batches, sides;
  std::vector<std::vector<std::uint64_t>> bytes;
};
/// Batches 32 … 65536 and sides 32 … 1024, in powers of two.
Grid pixel_grid(ElementType type);
/// Three significant digits without an exponent: "0.000366", "0.75", "768".
std::string gibibytes(std::uint64_t bytes);

}  // namespace weir::report
