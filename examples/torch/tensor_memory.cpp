#include "tensor_memory.hpp"

#include <c10/core/CPUAllocator.h>

#include <cstddef>
#include <new>

namespace trainer {
namespace {

weir::CountingResource* counted = nullptr;
thread_local std::pmr::memory_resource* current = nullptr;

/// A header before the data. The data keep libtorch's alignment.
struct alignas(64) Head {
  std::pmr::memory_resource* from;
  std::size_t bytes;
};

void give_back(void* data) {
  if (!data) return;
  auto* const head = static_cast<Head*>(data) - 1;
  head->from->deallocate(head, head->bytes, alignof(Head));
}

class CountingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) const override {
    if (bytes == 0) return {nullptr, nullptr, &give_back, c10::Device(c10::DeviceType::CPU)};
    auto* const from = current ? current : counted;
    auto* const head =
        new (from->allocate(sizeof(Head) + bytes, alignof(Head))) Head{from, sizeof(Head) + bytes};
    return {head + 1, head + 1, &give_back, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
};

}  // namespace

void count_tensors(weir::CountingResource& memory) {
  static CountingAllocator allocator;
  counted = &memory;
  c10::SetCPUAllocator(&allocator, /*priority=*/1);
}

CountAs::CountAs(const char* account) : before_(current) {
  if (counted) current = counted->account(account);
}
CountAs::~CountAs() { current = before_; }

}  // namespace trainer
