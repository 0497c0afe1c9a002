#pragma once

#include <memory_resource>
#include <weir/counting.hpp>

namespace trainer {

/// From now on every tensor's memory comes from `memory` and is in one of its accounts. Once, before the
/// first tensor; `memory` must never be destroyed, since libtorch keeps tensors to the process's end.
void count_tensors(weir::CountingResource& memory);

/// What this thread allocates while this lives is in that account; what other threads do in `other`.
/// Nothing where count_tensors() was not called.
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
