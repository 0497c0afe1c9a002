#include "buffer/block.hpp"

#include "buffer/page_memory.hpp"

namespace weir::buffer {

bool Block::ensure(std::uint64_t bytes, std::uint64_t beside, books::RowKey row,
                   books::Waiter* waiter) {
  if (bytes <= size_ && beside <= charged_.bytes - size_) return true;
  trim();
  const auto admitted = book_.admit(row, account_, bytes + beside, waiter);
  if (!admitted) return false;
  charged_ = *admitted;
  allocate(bytes);
  return true;
}

void Block::adopt(const books::Admitted& granted, std::uint64_t beside) {
  trim();
  charged_ = granted;
  allocate(granted.bytes - beside);
}

void Block::trim() noexcept {
  if (data_ != nullptr) page_memory().deallocate(data_, static_cast<std::size_t>(size_), alignment);
  data_ = nullptr;
  size_ = 0;
  book_.discharge(account_, std::exchange(charged_, {}));
}

void Block::allocate(std::uint64_t bytes) {
  if (bytes == 0) return;
  try {
    data_ =
        static_cast<std::byte*>(page_memory().allocate(static_cast<std::size_t>(bytes), alignment));
    size_ = bytes;
  } catch (...) {
    trim();
    throw;
  }
}

}  // namespace weir::buffer
