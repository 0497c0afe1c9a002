#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "batch.hpp"

namespace replacing {

/// The input of a libtorch trainer: images, float32, N x 3 x side x side in [-1, 1], RGB; labels,
/// int64, N; a path for each image.
struct TensorBatch {
  torch::Tensor images, labels;
  std::vector<std::string> paths;
};

}  // namespace replacing
