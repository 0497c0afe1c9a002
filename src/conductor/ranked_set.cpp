#include "conductor/ranked_set.hpp"

#include <algorithm>
#include <iterator>

namespace weir::conductor {

RankedSet::RankedSet(std::span<const Progress::Run> set) {
  pieces_.reserve(set.size());
  for (const auto& run : set) {
    pieces_.push_back({size_, run});
    size_ += length_of(run) * run.times;
  }
}

const RankedSet::Piece& RankedSet::piece_of(std::uint64_t rank) const noexcept {
  return *std::prev(std::ranges::upper_bound(pieces_, rank, {}, &Piece::rank));
}

std::uint64_t RankedSet::at(std::uint64_t rank) const noexcept {
  const auto& [first, run] = piece_of(rank);
  const auto nth = (rank - first) / length_of(run);
  return interval_of(run, nth).first + (rank - first) % length_of(run);
}

void RankedSet::append(const Progress::Run& ranks, RunMaker& to) const {
  for (std::uint64_t i = 0; i < ranks.times;) {
    auto [rank, end, distance, times] = interval_of(ranks, i);
    while (rank < end) {
      const auto& [first, run] = piece_of(rank);
      const auto length = length_of(run), nth = (rank - first) / length;
      const auto here = interval_of(run, nth);
      const auto position = here.first + (rank - first) % length;
      const auto left = here.end - position;  // in this interval of the set
      const auto wanted = end - rank;
      if (position == here.first && wanted >= length) {
        // Whole intervals of the set.
        const auto whole = std::min(wanted / length, run.times - nth);
        to.add({here.first, here.end, run.distance, whole});
        rank += whole * length;
      } else if (rank == ranks.first + i * ranks.distance && wanted <= left) {
        // Whole intervals of ranks.
        const auto more = ranks.times - i;
        const auto whole = more == 1 ? 1 : std::min(more, (left - wanted) / ranks.distance + 1);
        to.add({position, position + wanted, ranks.distance, whole});
        i += whole - 1;
        rank = end;
      } else {
        const auto some = std::min(wanted, left);
        to.add(Interval{position, position + some});
        rank += some;
      }
    }
    ++i;
  }
}

}  // namespace weir::conductor
