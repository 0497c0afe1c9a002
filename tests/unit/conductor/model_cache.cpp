#include <algorithm>

#include "unit/conductor/model.hpp"

namespace weir::test {

bool Model::Keeper::evict() noexcept {
  const auto youngest = std::find(holds.rbegin(), holds.rend(), 0u);
  if (youngest == holds.rend()) return false;
  holds.erase(std::next(youngest).base());
  ++model_.acts_;
  ++gave;
  model_.book_->discharge_cache(model_.scenario_.piece_bytes);
  return true;
}

bool Model::Keeper::held() const noexcept {
  return std::ranges::any_of(holds, [](auto count) { return count > 0; });
}

bool Model::Keeper::could_give() const noexcept {
  return std::ranges::any_of(holds, [](auto count) { return count == 0; });
}

void Model::Keeper::release() noexcept {
  std::vector<std::uint32_t*> pieces;
  for (auto& count : holds)
    if (count > 0) pieces.push_back(&count);
  const auto chosen = model_.choices_.below(pieces.size() + (offers > 0 ? 1 : 0));
  if (chosen == pieces.size()) {
    --offers;
    offer();
  } else if (--*pieces[static_cast<std::size_t>(chosen)] == 0) {
    ++offers;
  }
}

bool Model::Keeper::can_hold() const noexcept {
  return moves > 0 &&
         (holds.size() < model_.scenario_.cache_pieces || std::ranges::any_of(holds, may_hold));
}

void Model::Keeper::hold() noexcept {
  --moves;
  std::vector<std::uint32_t*> pieces;
  for (auto& count : holds)
    if (may_hold(count)) pieces.push_back(&count);
  const auto& s = model_.scenario_;
  const auto chosen =
      model_.choices_.below(pieces.size() + (holds.size() < s.cache_pieces ? 1 : 0));
  if (chosen < pieces.size()) {
    ++*pieces[static_cast<std::size_t>(chosen)];
    return;
  }
  const bool waits = model_.book_->someone_waits() || model_.neighbour_.waits;
  if (!model_.book_->try_charge_cache(s.piece_bytes, s.cache_pieces * s.piece_bytes)) return;
  if (waits) model_.breach("a cache took bytes that somebody waits for");
  // The row that keeps the piece is now writing it.
  holds.push_back(1);
}

}  // namespace weir::test
