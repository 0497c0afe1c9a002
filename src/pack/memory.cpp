#include "pack/memory.hpp"

#include <algorithm>
#include <string>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "weir/error.hpp"

namespace weir::pack {
namespace {

/// Enough for a photograph of a camera's full size.
constexpr std::uint64_t least_sample_bytes = 8 << 20;

}  // namespace

Piece::~Piece() {
  if (memory_ != nullptr) memory_->give_back(*this);
}

Memory::Memory(std::uint64_t budget, std::uint64_t fixed, std::uint64_t max_sample_bytes)
    : ledger_(budget) {
  const auto least = add_sat(fixed, 2 * least_sample_bytes);
  auto charge = ledger_.try_charge(Account::index, fixed);
  if (!charge || budget < least)
    throw Error(Errc::budget_too_small, Stage::wait,
                OptionProblem{"memory.budget_bytes", std::to_string(budget),
                              concat("must be at least ", least, " bytes: ", fixed,
                                     " for names and buffers, and twice ", least_sample_bytes,
                                     " for samples")});
  fixed_ = std::move(*charge);
  const auto rest = budget - fixed;
  most_sample_bytes_ = rest / 2;
  if (max_sample_bytes != 0) most_sample_bytes_ = std::min(most_sample_bytes_, max_sample_bytes);
  shared_ = rest - most_sample_bytes_;
}

Piece Memory::take(source::Position position, Account account, std::uint64_t bytes,
                   std::uint64_t beside) {
  const auto charged = add_sat(bytes, beside);
  Piece piece;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || position == oldest_ || has_room(charged); });
    if (stopped_) throw Stopped{};
    piece.oldest_ = !has_room(charged);
    auto charge = ledger_.try_charge(account, charged);
    // Only a sample that needs more than its bound can get here.
    if (!charge) throw std::bad_alloc();
    piece.charge_ = std::move(*charge);
    if (!piece.oldest_) used_ += charged;
    piece.memory_ = this;
  }
  if (bytes > 0)
    piece.data_ =
        static_cast<std::byte*>(::operator new(static_cast<std::size_t>(bytes), Piece::alignment));
  piece.size_ = static_cast<std::size_t>(bytes);
  return piece;
}

void Memory::give_back(Piece& piece) noexcept {
  ::operator delete(piece.data_, Piece::alignment);
  const auto bytes = piece.charge_.bytes();
  const std::lock_guard lock(mutex_);
  piece.charge_ = {};
  if (!piece.oldest_) used_ -= bytes;
  changed_.notify_all();
}

void Memory::set_oldest(source::Position position) {
  const std::lock_guard lock(mutex_);
  oldest_ = position;
  changed_.notify_all();
}

void Memory::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

}  // namespace weir::pack
