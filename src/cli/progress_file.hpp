#pragma once

#include <string>
#include <utility>

#include "base/clock.hpp"
#include "weir/loader.hpp"

namespace weir::cli {

/// The file of --save-progress. It is written at the start, after a batch if the last time is a second
/// ago, and at the end. Without a file it does nothing. One thread.
class ProgressFile {
 public:
  /// `stream` must outlive this. Writes the file. Throws as Progress::save() does.
  ProgressFile(std::string path, const Stream& stream) : path_(std::move(path)), stream_(stream) {
    save();
  }

  void after_batch() {
    if (Clock::now() >= next_) save();
  }
  void save() {
    if (!path_.empty()) stream_.progress().save(path_);
    next_ = Clock::now() + std::chrono::seconds(1);
  }

 private:
  const std::string path_;
  const Stream& stream_;
  Clock::time_point next_{};
};

}  // namespace weir::cli
