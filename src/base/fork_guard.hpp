#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "base/machine/process_id.hpp"

namespace weir {

/// Detects a child process of fork(). Only the thread that called fork() exists in the child, and
/// locks of other threads stay locked. So the child must not touch objects that have threads or
/// locks.
class ForkGuard {
 public:
  bool in_child() const noexcept { return process_id() != id_; }

 private:
  long id_ = process_id();
};

/// Moves `handle` into storage that is never destroyed. A child of fork() cannot destroy the object
/// safely.
template <class T>
void leak(T handle) noexcept {
  alignas(T) std::byte storage[sizeof(T)];
  ::new (storage) T(std::move(handle));
}

}  // namespace weir
