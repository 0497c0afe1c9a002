#include "conductor/row_feed.hpp"

#include <algorithm>

namespace weir::conductor {

void RowFeed::add(const RowRun& run) {
  if (run.count == 0) return;
  const auto younger_end = std::find_if(
      runs_.begin(), runs_.end(), [&](const RowRun& other) { return other.key() < run.key(); });
  runs_.insert(younger_end, run);
  rows_ += run.count;
}

std::optional<RowRun> RowFeed::take(std::uint32_t most, books::RowKey barrier) noexcept {
  if (runs_.empty() || !(runs_.back().key() < barrier)) return std::nullopt;
  RowRun& front = runs_.back();
  RowRun taken = front;
  taken.count = std::min(most, front.count);
  front.first += taken.count;
  front.count -= taken.count;
  rows_ -= taken.count;
  if (front.count == 0) runs_.pop_back();
  return taken;
}

}  // namespace weir::conductor
