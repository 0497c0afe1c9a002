#include "conductor/intervals.hpp"

#include <algorithm>

namespace weir::conductor {

Intervals joined(Intervals intervals) {
  std::ranges::sort(intervals, {}, &Interval::first);
  Intervals set;
  for (const auto& next : intervals) {
    if (next.first >= next.end) continue;
    if (!set.empty() && next.first <= set.back().end)
      set.back().end = std::max(set.back().end, next.end);
    else
      set.push_back(next);
  }
  return set;
}

Intervals without(std::uint64_t size, const Intervals& set) {
  Intervals rest;
  std::uint64_t from = 0;
  for (const auto& [first, end] : set) {
    if (first >= size) break;
    if (from < first) rest.push_back({from, first});
    from = end;
  }
  if (from < size) rest.push_back({from, size});
  return rest;
}

std::uint64_t count(const Intervals& set) noexcept {
  std::uint64_t sum = 0;
  for (const auto& [first, end] : set) sum += end - first;
  return sum;
}

std::vector<Progress::Run> runs_of(const Intervals& set) {
  std::vector<Progress::Run> runs;
  for (const auto& [first, end] : set) {
    if (!runs.empty()) {
      auto& run = runs.back();
      const auto distance = first - (run.first + (run.times - 1) * run.distance);
      if (end - first == run.end - run.first && (run.times == 1 || distance == run.distance)) {
        run.distance = distance;
        ++run.times;
        continue;
      }
    }
    runs.push_back({first, end, 0, 1});
  }
  return runs;
}

Intervals intervals_of(std::span<const Progress::Run> runs) {
  Intervals all;
  for (const auto& run : runs)
    for (std::uint64_t i = 0; i < run.times; ++i)
      all.push_back({run.first + i * run.distance, run.end + i * run.distance});
  return joined(std::move(all));
}

RankedSet::RankedSet(Intervals set) {
  pieces_.reserve(set.size());
  for (const auto& [first, end] : set) {
    pieces_.push_back({size_, first, end});
    size_ += end - first;
  }
}

const RankedSet::Piece* RankedSet::piece_of(std::uint64_t rank) const noexcept {
  return &*std::prev(std::ranges::upper_bound(pieces_, rank, {}, &Piece::rank));
}

std::uint64_t RankedSet::at(std::uint64_t rank) const noexcept {
  const auto* const piece = piece_of(rank);
  return piece->first + (rank - piece->rank);
}

void RankedSet::append(Interval ranks, Intervals& to) const {
  for (auto rank = ranks.first; rank < ranks.end;) {
    const auto* const piece = piece_of(rank);
    const auto first = piece->first + (rank - piece->rank);
    const auto length = std::min(piece->end - first, ranks.end - rank);
    to.push_back({first, first + length});
    rank += length;
  }
}

}  // namespace weir::conductor
