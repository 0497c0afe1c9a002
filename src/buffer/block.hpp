#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "books/book.hpp"

namespace weir::buffer {

/// Charged memory that is kept and reused from sample to sample: a worker's encoded bytes or its
/// scratch. Move-only; one thread at a time.
class Block {
 public:
  static constexpr std::size_t alignment = 64;

  Block(books::Book& book, Account account) noexcept : book_(book), account_(account) {}
  Block(Block&& other) noexcept
      : book_(other.book_),
        account_(other.account_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        charged_(std::exchange(other.charged_, {})) {}
  ~Block() { trim(); }

  /// At least `bytes` for `row`, and `beside` more on the books for what others allocate meanwhile.
  /// False where they are refused; then `waiter`, if any, waits for them and the block is empty.
  /// Throws std::bad_alloc with nothing charged.
  [[nodiscard]] bool ensure(std::uint64_t bytes, std::uint64_t beside, books::RowKey row,
                            books::Waiter* waiter);
  /// Takes over bytes that were granted to a waiter, `beside` of them not to be allocated here.
  void adopt(const books::Admitted& granted, std::uint64_t beside);
  /// Frees, then discharges.
  void trim() noexcept;

  std::span<std::byte> first(std::uint64_t bytes) const noexcept {
    return {data_, static_cast<std::size_t>(bytes)};
  }
  /// Bytes that first() can give.
  std::uint64_t size() const noexcept { return size_; }
  Account account() const noexcept { return account_; }
  /// Bytes on the books for this block.
  std::uint64_t charged() const noexcept { return charged_.bytes; }
  /// Charged to the reserve: must be trimmed before its row ends.
  bool reserve() const noexcept { return charged_.reserve; }

 private:
  void allocate(std::uint64_t bytes);

  books::Book& book_;
  const Account account_;
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;  ///< allocated; charged_ may be more
  books::Admitted charged_{};
};

}  // namespace weir::buffer
