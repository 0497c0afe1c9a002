#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace weir {

/// The process that something was made in. A child of fork() has no thread but the one that called it,
/// and what locks the others held stay held: there, what has threads and locks is not to be touched.
class ForkGuard {
 public:
  bool in_child() const noexcept { return ::getpid() != id_; }

 private:
  pid_t id_ = ::getpid();
};

/// `handle` is empty, and what it stood for is never let go: what else a child of fork() can do.
template <class T>
void leak(T&& handle) noexcept {
  using Handle = std::remove_cvref_t<T>;
  alignas(Handle) std::byte storage[sizeof(Handle)];
  ::new (storage) Handle(std::move(handle));
}

}  // namespace weir
