#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "task.hpp"

namespace peers {

/// A batch in memory that is reused.
struct Tensors {
  std::size_t batch = 0;  ///< its number in the order
  std::size_t samples = 0;
  std::vector<float> values;
};

/// Files of a folder in shuffled order, repeated `epochs` times, and their conversion to floats: cv::imread,
/// crop, cv::resize, one pass to normalised NCHW. Used by the peers without a decoder of their own.
class Photos {
 public:
  explicit Photos(const Task& task);

  std::size_t batches() const { return (order_.size() + task_.batch - 1) / task_.batch; }
  std::size_t samples_of(std::size_t batch) const {
    return std::min(task_.batch, order_.size() - batch * task_.batch);
  }
  std::size_t size() const { return order_.size(); }
  /// Decodes the i-th file of the order into 3 x size x size floats. Any thread.
  void load(std::size_t i, float* out) const;
  /// Decodes the files of buffer.batch. Any thread.
  void load(Tensors& buffer) const;

 private:
  Task task_;
  std::vector<std::string> files_;
  std::vector<std::size_t> order_;
};

}  // namespace peers
