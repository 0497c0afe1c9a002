#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <utility>

#include "weir/ledger.hpp"

namespace weir::pack {

class Memory;

/// Charged memory of one sample, aligned to 64 bytes. Move-only.
class Piece {
 public:
  Piece() noexcept = default;
  Piece(Piece&& other) noexcept { *this = std::move(other); }
  Piece& operator=(Piece&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(charge_, other.charge_);
    std::swap(oldest_, other.oldest_);
    return *this;
  }
  /// Frees the memory, then discharges it.
  ~Piece();

  std::span<std::byte> bytes() const noexcept { return {data_, size_}; }

 private:
  friend class Memory;
  static constexpr std::align_val_t alignment{64};

  Memory* memory_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  Charge charge_;
  bool oldest_ = false;  ///< charged to the share of the oldest sample
};

}  // namespace weir::pack
