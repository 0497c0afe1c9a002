#pragma once

#include <atomic>
#include <cstdint>
#include <memory_resource>

namespace weir::cli {

/// Another resource, counting: what the books say about slabs is compared with this.
class CountingResource final : public std::pmr::memory_resource {
 public:
  /// `upstream` outlives this.
  explicit CountingResource(
      std::pmr::memory_resource* upstream = std::pmr::new_delete_resource()) noexcept
      : upstream_(upstream) {}
  std::uint64_t outstanding() const noexcept { return outstanding_.load(); }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* memory = upstream_->allocate(bytes, alignment);
    outstanding_ += bytes;
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    outstanding_ -= bytes;
    upstream_->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::pmr::memory_resource* const upstream_;
  std::atomic<std::uint64_t> outstanding_{0};
};

}  // namespace weir::cli
