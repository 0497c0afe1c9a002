#include "buffer/block.hpp"

#include <new>

namespace weir::buffer {

bool Block::ensure(std::uint64_t bytes, books::RowKey row, books::Waiter* waiter) {
  if (bytes <= capacity()) return true;
  trim();
  const auto admitted = book_->admit(row, account_, bytes, waiter);
  if (!admitted) return false;
  charged_ = *admitted;
  allocate();
  return true;
}

void Block::adopt(const books::Admitted& granted) {
  trim();
  charged_ = granted;
  if (charged_.bytes > 0) allocate();
}

void Block::trim() noexcept {
  ::operator delete(data_, std::align_val_t{alignment});
  data_ = nullptr;
  book_->discharge(account_, std::exchange(charged_, {}));
}

void Block::allocate() {
  try {
    data_ = static_cast<std::byte*>(
        ::operator new(static_cast<std::size_t>(charged_.bytes), std::align_val_t{alignment}));
  } catch (...) {
    trim();
    throw;
  }
}

}  // namespace weir::buffer
