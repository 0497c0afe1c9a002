#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace replacing {

/// The settings that the trainer gives to either loader.
struct Settings {
  std::string root;  ///< one folder for each class
  std::uint32_t side = 32, batch = 50, workers = 2, queue = 4;
  bool shuffle = true;
  std::uint64_t seed = 1;
};

/// The trainer's input: N x 3 x side x side floats in [-1, 1], RGB, and a label and a path for each image.
struct FloatBatch {
  std::vector<float> images;
  std::vector<std::int64_t> labels;
  std::vector<std::string> paths;
  std::size_t size() const { return labels.size(); }
};

}  // namespace replacing
