#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <span>

#include "buffer/scratch_exceeded.hpp"

namespace weir::buffer {

/// Scratch of one transform, in memory that is already charged. Pieces are allocated one after the
/// other. Only the last piece can be freed; the others are freed with the arena. Not thread-safe.
class TransformArena final : public std::pmr::memory_resource {
 public:
  explicit TransformArena(std::span<std::byte> memory) noexcept : memory_(memory) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* piece = memory_.data() + used_;
    auto left = memory_.size() - used_;
    if (memory_.empty() || std::align(alignment, bytes, piece, left) == nullptr)
      throw ScratchExceeded(bytes, used_, memory_.size());
    used_ = memory_.size() - left + bytes;
    return piece;
  }
  void do_deallocate(void* piece, std::size_t bytes, std::size_t) override {
    const auto start = static_cast<std::size_t>(static_cast<std::byte*>(piece) - memory_.data());
    if (start + bytes == used_) used_ = start;
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::span<std::byte> memory_;
  std::size_t used_ = 0;
};

}  // namespace weir::buffer
