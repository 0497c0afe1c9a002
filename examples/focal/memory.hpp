#pragma once

#include <cstddef>
#include <memory_resource>
#include <new>
#include <utility>
#include <weir/ledger.hpp>

namespace focal {

/// Charges the example's own memory to the ledger of its loader. Then peak and budget include both. One thread.
class OnTheBooks final : public std::pmr::memory_resource {
 public:
  explicit OnTheBooks(weir::MemoryLedger& ledger)
      : charge_(*ledger.try_charge(weir::Account::cache, 0)) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (!charge_.try_grow(charge_.bytes() + bytes)) throw std::bad_alloc();
    try {
      return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    } catch (...) {
      charge_.shrink(charge_.bytes() - bytes);
      throw;
    }
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    charge_.shrink(charge_.bytes() - bytes);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  weir::Charge charge_;
};

}  // namespace focal
