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

/// The first messages that a loader recorded on one subject. Thread-safe.
class Notes {
 public:
  static constexpr std::size_t kept = 1000;

  /// Returns the index of the message in read(). If `kept` messages are stored, the new one is
  /// dropped.
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

/// The faults of a loader: the first ones in full, and the number of all. Thread-safe.
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
  /// A fault of a plane is not counted here, because its row has none.
  void add(Fault fault) {
    Lock lock(mutex_);
    const auto kind = static_cast<std::size_t>(fault.kind);
    const bool of_row = fault.plane.empty();
    // First what may throw: then the caller counts it.
    if (faults_.first.size() < kept) faults_.first.push_back(std::move(fault));
    if (of_row) ++faults_.kinds[kind];
  }
  /// Counts a fault when there is no memory to store it.
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
