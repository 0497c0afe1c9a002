#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "books/accounts.hpp"
#include "weir/element_type.hpp"
#include "weir/report.hpp"

namespace weir::report {

/// One look at a loader while it ran.
struct TimelinePoint {
  double seconds = 0;          ///< since the stream was opened
  std::uint64_t consumed = 0;  ///< samples so far
  std::uint32_t filling = 0, ready = 0, leased = 0;
  std::uint64_t live = 0;
  AccountBytes accounts{};
};

/// What a command found out about one Loader: the library's Report and what only the program can
/// see.
struct Run {
  Report figures;
  ProcessMemory process_before;  ///< just before the Loader was made
  ProcessMemory process_peak;    ///< the largest until it was gone
  ProcessMemory process_after;   ///< when it was gone
  ProcessParts parts_before;     ///< as process_before
  ProcessParts parts_now;        ///< with figures.memory, the stream still open
  double cpu_s = 0;              ///< CPU time of the process while the stream was drained
  double posting_ns = 0;         ///< of one posting to the books, measured after the run
  double reading_ns = 0;         ///< of one reading of the clocks, likewise
  std::string budget_how;        ///< how `auto` was worked out; empty where bytes were named
  std::string slab_note;         ///< what the slabs' memory was refused; empty where nothing was
  std::string digest;            ///< empty where none was asked for
  std::string error;             ///< why the run ended early; empty where it did not
  bool interrupted = false;
  std::vector<TimelinePoint> timeline;  ///< of the stream, oldest first
};

/// Bytes of slabs, whatever their state.
constexpr std::uint64_t staging_bytes(const AccountBytes& accounts) noexcept {
  std::uint64_t bytes = 0;
  for (const auto account : books::accounts_of<true>())
    bytes += accounts[static_cast<std::size_t>(account)];
  return bytes;
}

/// Growth of the process less `memory.peak`: what the books do not see, or have and the kernel has
/// not backed with pages yet (then it is negative).
constexpr std::int64_t unaccounted(const Run& run) noexcept {
  return static_cast<std::int64_t>(run.process_peak.rss) -
         static_cast<std::int64_t>(run.process_before.rss) -
         static_cast<std::int64_t>(run.figures.memory.peak);
}

/// How much of one kind there was more at the end than before.
constexpr std::int64_t grown(const Run& run, std::uint64_t ProcessParts::*part) noexcept {
  return static_cast<std::int64_t>(run.parts_now.*part) -
         static_cast<std::int64_t>(run.parts_before.*part);
}

/// What accounting costs: nanoseconds of an event, events a sample, nanoseconds of them, and of the
/// sample's CPU time.
struct AccountingCost {
  double event_ns = 0, events_per_sample = 0, ns_per_sample = 0, share_of_cpu = 0;
};
/// Of the books, whose events are postings, and of the clocks, whose are readings.
AccountingCost books_cost(const Run& run) noexcept;
AccountingCost stats_cost(const Run& run) noexcept;

/// Nanoseconds of one posting on this machine, now: the median of several bursts on a ledger of its
/// own. Takes a few milliseconds.
double measure_posting_ns();

/// Staging bytes of `plan` at queue depth `depth`.
DepthCost cost_at(const Plan& plan, std::uint32_t depth);
/// 1, 2, 4 … up to 16 or the plan's depth, and the plan's depth.
std::vector<std::uint32_t> default_depths(const Plan& plan);

/// Bytes of the pixels of one batch, rows by batch size and columns by side of a square image of
/// three channels.
struct Grid {
  ElementType type = ElementType::u8;
  std::vector<std::uint64_t> batches, sides;
  std::vector<std::vector<std::uint64_t>> bytes;
};
/// Batches 32 … 65536 by sides 32 … 1024, powers of two.
Grid pixel_grid(ElementType type);
/// Three significant digits, never an exponent: "0.000366", "0.75", "768".
std::string gibibytes(std::uint64_t bytes);

}  // namespace weir::report
