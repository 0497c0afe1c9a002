#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "books/waiters.hpp"
#include "weir/error.hpp"

namespace weir::engine {

/// What one thread of a stream is at, for the watchdog.
struct Activity {
  bool busy = false;
  Stage stage = Stage::read;
  books::RowKey row{};
  std::uint64_t index = 0;  ///< of the source
  Clock::time_point since{};
};
using Post = Guarded<Activity>;

/// A sample that was refused bytes.
struct ParkedSample {
  books::Claim claim;
  std::uint64_t index = 0;  ///< of the source
  Clock::time_point since{};
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
