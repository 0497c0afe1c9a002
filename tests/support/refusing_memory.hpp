#pragma once

#include <atomic>
#include <cstddef>
#include <memory_resource>
#include <new>

namespace weir::test {

/// Heap memory for the first `granted` requests; then it refuses.
class RefusingMemory final : public std::pmr::memory_resource {
 public:
  explicit RefusingMemory(int times = 0) noexcept : granted(times) {}
  std::atomic<int> granted;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (granted-- <= 0) throw std::bad_alloc();
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(data, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

}  // namespace weir::test
