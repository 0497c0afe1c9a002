#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "books/budget.hpp"
#include "buffer/page_memory.hpp"

namespace weir::buffer {

/// Charged memory that a worker reuses from sample to sample: its encoded bytes or its scratch.
/// Move-only. Not thread-safe.
class Block {
 public:
  static constexpr std::size_t alignment = 64;

  Block(books::Budget& budget, Account account) noexcept : budget_(budget), account_(account) {}
  Block(Block&& other) noexcept
      : budget_(other.budget_),
        account_(other.account_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        charged_(std::exchange(other.charged_, {})) {}
  ~Block() { trim(); }

  /// Makes the block at least `bytes` large for `row`, and charges `beside` more bytes for memory
  /// that others allocate. If the bytes are refused, it returns false, the block is empty, and
  /// `waiter`, if not null, waits for the bytes. If the allocation fails, it throws std::bad_alloc
  /// and nothing stays charged.
  [[nodiscard]] bool ensure(std::uint64_t bytes, std::uint64_t beside, books::RowKey row,
                            books::Waiter* waiter) {
    if (bytes <= size_ && beside <= charged_.bytes - size_) return true;
    trim();
    const auto admitted = budget_.admit({row, account_, add_sat(bytes, beside)}, waiter);
    if (!admitted) return false;
    charged_ = *admitted;
    allocate(bytes);
    return true;
  }
  /// Takes over bytes that were granted to a waiter. `beside` of them are not allocated here.
  void adopt(const books::Admitted& granted, std::uint64_t beside) {
    trim();
    charged_ = granted;
    allocate(granted.bytes - beside);
  }
  /// Frees the memory, then discharges it.
  void trim() noexcept {
    if (data_ != nullptr)
      page_memory().deallocate(data_, static_cast<std::size_t>(size_), alignment);
    data_ = nullptr;
    size_ = 0;
    budget_.discharge(account_, std::exchange(charged_, {}));
  }

  std::span<std::byte> first(std::uint64_t bytes) const noexcept {
    return {data_, static_cast<std::size_t>(bytes)};
  }
  /// Bytes allocated, all available through first().
  std::uint64_t size() const noexcept { return size_; }
  Account account() const noexcept { return account_; }
  /// Bytes charged for this block.
  std::uint64_t charged() const noexcept { return charged_.bytes; }
  /// Whether it is charged to the reserve. Then it must be trimmed before its row ends.
  bool reserve() const noexcept { return charged_.reserve; }

 private:
  void allocate(std::uint64_t bytes) {
    if (bytes == 0) return;
    try {
      data_ = static_cast<std::byte*>(
          page_memory().allocate(static_cast<std::size_t>(bytes), alignment));
      size_ = bytes;
    } catch (...) {
      trim();
      throw;
    }
  }

  books::Budget& budget_;
  const Account account_;
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;  ///< bytes allocated; charged_ may be more
  books::Admitted charged_{};
};

}  // namespace weir::buffer
