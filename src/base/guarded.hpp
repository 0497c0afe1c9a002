#pragma once

#include <utility>

#include "base/mutex.hpp"

namespace weir {

/// A value that threads read and replace as a whole. Its mutex is a leaf.
template <class T>
class Guarded {
 public:
  explicit Guarded(T value = {}) : value_(std::move(value)) {}
  void set(const T& value) {
    Lock lock(mutex_);
    value_ = value;
  }
  T get() const {
    Lock lock(mutex_);
    return value_;
  }

 private:
  mutable Mutex mutex_;
  T value_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir
