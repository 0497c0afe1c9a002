#pragma once

#include <exception>
#include <utility>

#include "base/mutex.hpp"
#include "books/row_key.hpp"
#include "weir/error.hpp"

namespace weir::engine {

/// The Error described by text(), or the std::bad_alloc if there is no memory for it.
template <class Text>
std::exception_ptr error_of(Errc code, Stage stage, const Text& text) noexcept {
  try {
    return std::make_exception_ptr(Error(code, stage, text()));
  } catch (...) {
    return std::current_exception();
  }
}

/// The error that ends a stream: the exception of its oldest failing row, whichever worker failed
/// first. The consumer receives it once.
class StreamError {
 public:
  void offer(books::RowKey row, std::exception_ptr error) noexcept {
    Lock lock(mutex_);
    if (!taken_ && (!error_ || row < row_)) {
      row_ = row;
      error_ = std::move(error);
    }
  }
  std::exception_ptr take() noexcept {
    Lock lock(mutex_);
    if (error_) taken_ = true;
    return std::exchange(error_, nullptr);
  }
  bool pending() const noexcept {
    Lock lock(mutex_);
    return error_ != nullptr;
  }

 private:
  mutable Mutex mutex_;
  books::RowKey row_ WEIR_GUARDED_BY(mutex_){};
  std::exception_ptr error_ WEIR_GUARDED_BY(mutex_);
  bool taken_ WEIR_GUARDED_BY(mutex_) = false;
};

}  // namespace weir::engine
