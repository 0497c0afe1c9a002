#pragma once

#include <memory>
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

/// As std::make_shared, but a child of fork() never destroys the object, because it cannot do so
/// safely.
template <class T, class... Args>
std::shared_ptr<T> make_kept_in_child(Args&&... args) {
  return {new T(std::forward<Args>(args)...), [guard = ForkGuard()](const T* object) {
            if (!guard.in_child()) delete object;
          }};
}

}  // namespace weir
