#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "books/row_key.hpp"
#include "weir/error.hpp"

namespace weir::engine {

/// The first sentences that a loader had to say of something. Any thread.
class Notes {
 public:
  static constexpr std::size_t kept = 1000;

  /// Its place in read(), which may not be there.
  std::size_t add(std::string text) {
    Lock lock(mutex_);
    if (texts_.size() == kept) return kept;
    texts_.push_back(std::move(text));
    return texts_.size() - 1;
  }
  std::vector<std::string> read() const {
    Lock lock(mutex_);
    return texts_;
  }

 private:
  mutable Mutex mutex_;
  std::vector<std::string> texts_ WEIR_GUARDED_BY(mutex_);
};

/// Bad samples of a loader: the first few in full, all of them counted. Any thread.
class FaultLog {
 public:
  static constexpr std::size_t kept = 1000;

  struct Faults {
    std::vector<Fault> first;
    std::array<std::uint64_t, fault_kind_count> kinds{};
    std::uint64_t count() const noexcept {
      return std::accumulate(kinds.begin(), kinds.end(), std::uint64_t{0});
    }
  };
  void add(Fault fault) {
    Lock lock(mutex_);
    const auto kind = static_cast<std::size_t>(fault.kind);
    if (faults_.first.size() < kept) faults_.first.push_back(std::move(fault));
    ++faults_.kinds[kind];
  }
  /// One that there is no memory to keep.
  void count(FaultKind kind) noexcept {
    Lock lock(mutex_);
    ++faults_.kinds[static_cast<std::size_t>(kind)];
  }
  Faults read() const {
    Lock lock(mutex_);
    return faults_;
  }

 private:
  mutable Mutex mutex_;
  Faults faults_ WEIR_GUARDED_BY(mutex_);
};

/// The Error that text() describes or, where memory is out, the std::bad_alloc it met.
template <class Text>
std::exception_ptr error_of(Errc code, Stage stage, const Text& text) noexcept {
  try {
    return std::make_exception_ptr(Error(code, stage, text()));
  } catch (...) {
    return std::current_exception();
  }
}

/// What a stream ends in: the exception of its oldest failing row, whichever worker was first. Given
/// to the consumer once.
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
