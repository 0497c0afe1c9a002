#pragma once

#include <memory_resource>
#include <weir/memory.hpp>

namespace trainer {

/// From now on every tensor's memory comes from `memory` and is charged to one of its accounts.
/// Call it once, before the first tensor. `memory` must never be destroyed, because libtorch keeps
/// tensors until the process ends.
void count_tensors(weir::CountingResource& memory);

/// While it exists, allocations of this thread are charged to that account. Those of other threads
/// are charged to `other`. Has no effect without count_tensors().
class CountAs {
 public:
  explicit CountAs(const char* account);
  ~CountAs();
  CountAs(const CountAs&) = delete;
  CountAs& operator=(const CountAs&) = delete;

 private:
  std::pmr::memory_resource* before_;
};

}  // namespace trainer
