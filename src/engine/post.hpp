#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "books/row_key.hpp"
#include "weir/error.hpp"

namespace weir::engine {

/// What one thread of a stream is at, for the watchdog. The mutex is a leaf.
class Post {
 public:
  struct Task {
    bool busy = false;
    Stage stage = Stage::read;
    books::RowKey row{};
    std::uint64_t index = 0;  ///< of the source
    Clock::time_point since{};
  };
  void set(const Task& task) noexcept {
    Lock lock(mutex_);
    task_ = task;
  }
  Task task() const noexcept {
    Lock lock(mutex_);
    return task_;
  }

 private:
  mutable Mutex mutex_;
  Task task_ WEIR_GUARDED_BY(mutex_);
};

/// A thread at a task, from construction to destruction.
class AtPost {
 public:
  /// `post` null: nobody watches.
  AtPost(Post* post, Stage stage, books::RowKey row, std::uint64_t index,
         Clock::time_point since) noexcept
      : post_(post) {
    if (post_) post_->set({true, stage, row, index, since});
  }
  ~AtPost() {
    if (post_) post_->set({});
  }
  AtPost(const AtPost&) = delete;
  AtPost& operator=(const AtPost&) = delete;

 private:
  Post* const post_;
};

}  // namespace weir::engine
