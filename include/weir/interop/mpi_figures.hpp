#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/advice.hpp"
#include "weir/loader.hpp"
#include "weir/report.hpp"

/// \file
/// The arithmetic of interop/mpi.hpp, without MPI.
namespace weir::mpi {

/// A quantity of all ranks.
struct RankPeak {
  std::uint64_t sum = 0;      ///< over all ranks
  std::uint64_t largest = 0;  ///< of one rank
  int rank = 0;               ///< the first rank that has `largest`
};

/// The reports of all ranks of a communicator as one.
struct JobReport {
  int ranks = 1;  ///< size of the communicator
  /// Counts, bytes and times are sums, so shares of the time are means over the ranks. Histograms
  /// are merged, and percentiles are of all ranks. The throughput's `seconds` and `first_batch_s` are
  /// the largest. The rank's own are plan, options, setting, CPUs, moves, stalls, the list of faults,
  /// the times of the consumer, source_samples and pinned_note.
  Report total{};
  RankPeak peak{};    ///< MemorySnapshot::peak; ranks may reach their peaks at different times
  RankPeak rss{};     ///< resident memory now
  RankPeak faults{};  ///< Report::fault_count
  /// The rank whose consumer waited longest for batches. The steps of the other ranks wait for it.
  int slowest = 0;
  double slowest_wait_s = 0;  ///< QueueWaits::consumer_wait_s of that rank
};

}  // namespace weir::mpi

namespace weir::interop {

/// As "name\tvalue\n". Names and values of Loader::identity() have neither character.
inline std::string to_text(const std::vector<Property>& properties) {
  std::string text;
  for (const auto& [name, value] : properties) {
    text += name;
    text += '\t';
    text += value;
    text += '\n';
  }
  return text;
}

inline std::vector<Property> from_text(std::string_view text) {
  std::vector<Property> properties;
  while (!text.empty()) {
    const auto tab = text.find('\t'), end = text.find('\n');
    properties.push_back(
        {std::string(text.substr(0, tab)), std::string(text.substr(tab + 1, end - tab - 1))});
    text.remove_prefix(end + 1);
  }
  return properties;
}

/// The first property that differs, with both values. Empty if none does.
inline std::string difference(const std::vector<Property>& mine,
                              const std::vector<Property>& first) {
  const auto [a, b] = std::ranges::mismatch(mine, first);
  if (a == mine.end() && b == first.end()) return "";
  if (a == mine.end() || b == first.end() || a->name != b->name)
    return "has other properties than rank 0";
  const bool resolved = a->name == "memory.max_sample_bytes";
  return a->name + " is " + a->value + "; on rank 0 it is " + b->value +
         (resolved ? ". The budget decides it: set `memory.max_sample_bytes` on every rank" : "");
}

/// The numbers of a report, by how they are combined.
struct Figures {
  std::vector<std::uint64_t> counts{};  ///< added
  std::vector<double> sums{};           ///< added
  std::vector<double> largest{};        ///< the largest counts
};

/// Calls count(), sum() or most() for each number of a report, always in the same order.
template <class TheReport, class Count, class Sum, class Most>
void each(TheReport& r, const Count& count, const Sum& sum, const Most& most) {
  auto& s = r.samples;
  for (auto* n : {&s.drawn, &s.in_flight, &s.ready, &s.leased, &s.consumed, &s.discarded,
                  &s.dropped, &s.failed, &s.replaced, &s.omitted, &s.partners})
    count(*n);
  count(r.memory.live);
  count(r.memory.peak);
  for (auto& n : r.memory.accounts) count(n);
  for (auto& n : r.memory.accounts_at_peak) count(n);
  count(r.process_now.rss);
  count(r.process_now.pss);
  for (auto* n :
       {&r.fault_count, &r.postings, &r.readings, &r.sizes.images, &r.sizes.image_bytes,
        &r.sizes.block_bytes, &r.cache.bytes, &r.cache.samples, &r.cache.hits, &r.cache.misses,
        &r.cache.evicted, &r.pinned.locked, &r.pinned.refused, &r.trace_lost})
    count(*n);
  for (auto& n : r.fault_kinds) count(n);
  for (auto& n : r.slabs.images) count(n);
  for (auto* n : {&r.slabs.annotation, &r.slabs.window, &r.slabs.rest}) count(*n);
  for (auto& plane : r.planes) {
    for (auto* n : {&plane.ok, &plane.damaged, &plane.absent, &plane.broken, &plane.decodes})
      count(*n);
    sum(plane.decode_s);
  }
  auto& q = r.queue;
  for (auto* n : {&q.batches, &q.samples, &q.batches_ready, &q.consumer.count}) count(*n);
  for (auto* d :
       {&q.seconds, &q.consumer_wait_s, &q.storage_wait_s, &q.decode_wait_s, &q.memory_wait_s,
        &q.device_wait_s, &q.workers.read_s, &q.workers.decode_s, &q.workers.storage_wait_s,
        &q.workers.memory_wait_s, &q.workers.idle_s, &q.cpu.workers_s, &q.cpu.process_s,
        &q.producer_wait_s, &q.consumer.sum_s, &q.consumer.squares_s2, &r.throughput.samples_per_s})
    sum(*d);
  for (auto& share : q.occupancy) sum(share);
  for (auto& stage : r.stages) {
    for (auto* n : {&stage.count, &stage.bytes, &stage.cpu_count}) count(*n);
    for (auto* d : {&stage.busy_s, &stage.squares_s2, &stage.cpu_s, &stage.cpu_busy_s}) sum(*d);
    for (auto& n : stage.times) count(n);
  }
  most(r.throughput.seconds);
  most(r.throughput.first_batch_s);
}

/// Calls `known` for each number that may be unknown.
template <class TheReport, class Known>
void each_optional(TheReport& r, const Known& known) {
  known(r.queue.cpu.wait_s);
  known(r.queue.cpu.throttle_s);
  known(r.queue.cpu.steal_s);
  known(r.queue.cpu.throttled_periods);
}

/// The lengths of the lists, which differ between ranks: levels of the queue, bins of a histogram.
inline std::vector<std::uint64_t> lengths_of(const Report& report) {
  std::size_t bins = 0;
  for (const auto& stage : report.stages) bins = std::max(bins, stage.times.size());
  return {report.queue.occupancy.size(), bins, report.memory.budget ? 0u : 1u};
}

/// Gives the lists the same lengths on every rank.
inline void fill(Report& report, std::span<const std::uint64_t> lengths) {
  report.queue.occupancy.resize(lengths[0]);
  for (auto& stage : report.stages) stage.times.resize(lengths[1]);
}

inline Figures figures_of(Report report, std::span<const std::uint64_t> lengths) {
  fill(report, lengths);
  for (auto& share : report.queue.occupancy) share *= report.queue.seconds;
  Figures figures;
  each(
      report, [&](std::uint64_t n) { figures.counts.push_back(n); },
      [&](double d) { figures.sums.push_back(d); },
      [&](double d) { figures.largest.push_back(d); });
  each_optional(report, [&](const auto& value) {
    figures.counts.push_back(value ? 1 : 0);
    figures.sums.push_back(static_cast<double>(value.value_or(0)));
  });
  figures.counts.push_back(lengths[2] == 0 ? *report.memory.budget : 0);
  return figures;
}

/// Writes the numbers of all ranks into the report of one.
inline void put(const Figures& figures, std::span<const std::uint64_t> lengths, int ranks,
                Report& report) {
  fill(report, lengths);
  auto n = figures.counts.begin();
  auto d = figures.sums.begin();
  auto largest = figures.largest.begin();
  each(
      report, [&](std::uint64_t& to) { to = *n++; }, [&](double& to) { to = *d++; },
      [&](double& to) { to = *largest++; });
  each_optional(report, [&]<class T>(std::optional<T>& to) {
    const auto sum = *d++;
    if (std::cmp_equal(*n++, ranks))
      to = static_cast<T>(sum);
    else
      to.reset();
  });
  report.memory.budget.reset();
  if (lengths[2] == 0) report.memory.budget = *n;
  auto& queue = report.queue;
  for (auto& share : queue.occupancy) share = queue.seconds > 0 ? share / queue.seconds : 0;
  queue.data_readiness = queue.batches == 0 ? 1
                                            : static_cast<double>(queue.batches_ready) /
                                                  static_cast<double>(queue.batches);
  for (auto& stage : report.stages)
    if (stage.count == 0) stage.times.clear();
  report.regime.reset();
  if (queue.seconds > 0) report.regime = to_string(judge(queue).regime);
}

}  // namespace weir::interop
