#include "conductor/schedule.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/checked.hpp"
#include "conductor/progress.hpp"

namespace weir::conductor {

std::uint64_t Schedule::Part::last_sequence() const noexcept {
  return add_sat(sequence, mul_sat(steps, epochs));
}

Schedule::Schedule(const Batching& batching, std::optional<std::uint64_t> epochs,
                   std::uint64_t first_epoch)
    : batching_(batching) {
  const auto count = epochs ? sub_floor(*epochs, first_epoch) : unlimited;
  add({.first = first_epoch, .count = count, .end = batching.samples}, count);
}

Schedule::Schedule(const Batching& batching, std::optional<std::uint64_t> epochs,
                   const Progress& resumed)
    : batching_(batching) {
  const auto end = epochs.value_or(unlimited);
  std::uint64_t next = resumed.epochs.front().first;
  for (const auto& listed : resumed.epochs) {
    // Between listed epochs, nothing is finished.
    if (next < listed.first)
      add({.first = next, .count = listed.first - next, .end = batching.samples},
          sub_floor(std::min(listed.first, end), next));
    next = listed.first + listed.count;
    add(listed, sub_floor(std::min(next, end), listed.first));
  }
  const auto count = epochs ? sub_floor(end, next) : unlimited;
  add({.first = next, .count = count, .end = batching.samples}, count);
}

void Schedule::add(Progress::Epochs epochs, std::uint64_t count) {
  // An epoch of which nothing is finished has the buckets of this stream.
  if (epochs.done.empty()) epochs.buckets = {};
  Part part{.resumed = std::move(epochs), .epochs = count};
  const auto& listed = part.resumed;
  if (!listed.done.empty() || listed.end < batching_.samples)
    part.rest = std::make_shared<const RankedSet>(without(listed.end, listed.done));
  const auto rows = part.rest ? part.rest->size() : batching_.samples;
  const auto global = batching_.global_batch();
  part.omitted = batching_.drop_last ? rows % global : 0;
  part.rows = rows - part.omitted;
  part.steps = part.rows / global + (part.rows % global != 0 ? 1 : 0);
  part.sequence = end_;
  end_ = part.last_sequence();
  if (part.steps == 0 && count != unlimited)
    omitted_without_batch_ =
        add_sat(omitted_without_batch_, mul_sat(share_of(part.omitted), count));
  rest_bytes_ +=
      (part.rest ? part.rest->bytes() : 0) + listed.done.capacity() * sizeof(Progress::Run);
  parts_.push_back(std::move(part));
}

std::uint64_t Schedule::batches_per_epoch() const noexcept { return parts_.back().steps; }

std::uint64_t Schedule::samples(std::uint64_t end) const noexcept {
  std::uint64_t samples = 0;
  for (const auto& part : parts_) {
    if (part.sequence >= end) break;
    const bool whole = part.last_sequence() <= end;
    const auto steps = end - part.sequence;
    samples = add_sat(samples, mul_sat(samples_of(part), whole ? part.epochs : steps / part.steps));
    // Only the last batch of an epoch may be short.
    if (!whole) samples = add_sat(samples, mul_sat(steps % part.steps, batching_.batch));
  }
  return samples;
}

std::uint64_t Schedule::samples_of(const Part& part) const noexcept {
  if (part.steps == 0) return 0;
  const auto before = part.steps - 1;
  return before * batching_.batch + rows_of(before, part.rows).count;
}

std::uint64_t Schedule::end() const noexcept { return end_; }

const Schedule::Part& Schedule::part_of(std::uint64_t sequence) const noexcept {
  return *std::prev(std::ranges::upper_bound(parts_, sequence, {}, &Part::sequence));
}

std::uint64_t Schedule::share_of(std::uint64_t count) const noexcept {
  const auto& [rank, world] = batching_.rank;
  return count / world + (rank < count % world ? 1 : 0);
}

Schedule::Rows Schedule::rows_of(std::uint64_t step, std::uint64_t rows) const noexcept {
  const auto& [rank, world] = batching_.rank;
  const auto begin = step * batching_.global_batch();
  const auto global = std::min(batching_.global_batch(), rows - begin);
  // The first ranks get the samples that the others cannot have.
  const auto before = rank * (global / world) + std::min<std::uint64_t>(rank, global % world);
  return {begin + before, share_of(global), global};
}

BatchSlot Schedule::at(std::uint64_t sequence) const noexcept {
  const auto& part = part_of(sequence);
  const auto step = (sequence - part.sequence) % part.steps;
  const auto [first, count, global] = rows_of(step, part.rows);
  return {.sequence = sequence,
          .epoch = part.resumed.first + (sequence - part.sequence) / part.steps,
          .first = first,
          .rows = static_cast<std::uint32_t>(count),
          .step = part.rest
                      ? part.rest->at(step * batching_.global_batch()) / batching_.global_batch()
                      : step,
          .global_rows = global,
          .omitted = step + 1 == part.steps ? share_of(part.omitted) : 0,
          .last = step + 1 == part.steps};
}

source::Position Schedule::position(const BatchSlot& batch, std::uint64_t ordinal) const noexcept {
  const auto& part = part_of(batch.sequence);
  return source::Position(part.rest ? part.rest->at(ordinal) : ordinal);
}

std::uint64_t Schedule::bucket_rows(const BatchSlot& batch) const noexcept {
  const auto rows = part_of(batch.sequence).resumed.buckets.rows;
  return rows != 0 ? rows : batching_.global_batch();
}

std::uint64_t Schedule::most_bucket_rows() const noexcept {
  auto most = batching_.global_batch();
  for (const auto& part : parts_) most = std::max(most, part.resumed.buckets.rows);
  return most;
}

std::uint64_t Schedule::end_of_epoch(std::uint64_t sequence) const noexcept {
  const auto& part = part_of(sequence);
  const auto epoch = (sequence - part.sequence) / part.steps;
  return part.sequence + (epoch + 1) * part.steps;
}

Runs Schedule::finished_positions(const Part& part, const Intervals& steps, bool all_ranks,
                                  std::uint64_t end) const {
  RunMaker positions;
  const auto add = [&](const Progress::Run& ordinals) {
    if (part.rest)
      part.rest->append(ordinals, positions);
    else
      positions.add(ordinals);
  };
  const auto global = batching_.global_batch();
  for (const auto& [first, last] : steps) {
    if (all_ranks || batching_.rank.world == 1) {
      add({first * global, std::min(part.rows, last * global)});
      continue;
    }
    // Only the last step of an epoch can have fewer rows.
    const auto whole = std::min(last, part.rows / global);
    if (first < whole) {
      const auto rows = rows_of(first, part.rows);
      add({rows.first, rows.first + rows.count, global, whole - first});
    }
    if (whole < last) {
      const auto rows = rows_of(whole, part.rows);
      add({rows.first, rows.first + rows.count});
    }
  }
  const auto now = std::move(positions).take();
  const std::span<const Progress::Run> sets[] = {part.resumed.done, now};
  return joined(sets, end);
}

void Schedule::add_progress(const Part& part, const Intervals& finished, bool all_ranks,
                            std::vector<Progress::Epochs>& to) const {
  // The finished steps of groups of epochs, by the first epoch of the group.
  struct Group {
    std::uint64_t count = 1;
    Intervals steps;
  };
  std::map<std::uint64_t, Group> groups;
  const auto add = [&](std::uint64_t epoch, std::uint64_t first, std::uint64_t end) {
    if (first < end) groups[epoch].steps.push_back({first, end});
  };
  for (const auto& interval : finished) {
    if (part.steps == 0) break;
    const auto first = std::max(interval.first, part.sequence);
    const auto end = std::min(interval.end, part.last_sequence());
    if (first >= end) continue;
    auto epoch = (first - part.sequence) / part.steps;
    const auto last = (end - part.sequence) / part.steps;
    const auto from = (first - part.sequence) % part.steps,
               up_to = (end - part.sequence) % part.steps;
    if (epoch == last) {
      add(epoch, from, up_to);
      continue;
    }
    if (from > 0) add(epoch++, from, part.steps);
    if (epoch < last) groups[epoch] = {last - epoch, {{0, part.steps}}};
    add(last, 0, up_to);
  }
  // drop_last has cut an epoch when one of its batches, or a batch after it, is finished.
  const auto later = !finished.empty() && finished.back().end > part.sequence;
  auto cut = part.resumed.end;
  if (part.omitted > 0) cut = part.rest ? part.rest->at(part.rows) : part.rows;
  // Global batches with more rows than there are samples cut no buckets, whatever their size.
  auto buckets = part.resumed.buckets;
  if (part.resumed.done.empty() && batching_.buckets.batches > 0) {
    buckets = batching_.buckets;
    buckets.rows = std::min(batching_.global_batch(), add_sat(batching_.samples, 1));
  }
  std::uint64_t next = 0;
  const auto rest_until = [&](std::uint64_t epoch) {
    const auto& listed = part.resumed;
    if (next >= epoch || (listed.done.empty() && listed.end == batching_.samples)) return;
    auto untouched = part.resumed;
    untouched.first += next;
    untouched.count = epoch - next;
    if (later && part.steps == 0) {
      untouched.end = cut;
      untouched.done = finished_positions(part, {}, all_ranks, cut);
    }
    to.push_back(std::move(untouched));
  };
  for (auto& [epoch, group] : groups) {
    rest_until(epoch);
    next = epoch + group.count;
    to.push_back({.first = part.resumed.first + epoch,
                  .count = group.count,
                  .end = cut,
                  .buckets = buckets,
                  .done = finished_positions(part, group.steps, all_ranks, cut)});
  }
  rest_until(part.resumed.count);
}

std::vector<Progress::Epochs> Schedule::progress(const Intervals& finished, bool all_ranks) const {
  std::vector<Progress::Epochs> epochs;
  for (const auto& part : parts_) add_progress(part, finished, all_ranks, epochs);
  return unfinished(std::move(epochs), parts_.front().resumed.first, batching_.samples);
}

}  // namespace weir::conductor
