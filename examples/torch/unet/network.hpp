#pragma once

#include <torch/nn.h>

#include <cstdint>
#include <memory>

#include "../resnet.hpp"

namespace unet {

namespace nn = torch::nn;

inline nn::Sequential convolutions(std::int64_t in, std::int64_t out) {
  using trainer::conv, trainer::norm;
  return nn::Sequential(conv(in, out, 3, 1), norm(out), nn::ReLU(), conv(out, out, 3, 1), norm(out),
                        nn::ReLU());
}

/// A level of a U-Net (Ronneberger et al., 2015): convolutions, the levels below at half the size, and
/// convolutions of both results. It gives `width` channels.
struct LevelImpl : nn::Module {
  LevelImpl(std::int64_t in, std::int64_t width, int levels_below)
      : before(register_module("before", convolutions(in, width))) {
    if (levels_below == 0) return;
    below =
        register_module("below", std::make_shared<LevelImpl>(width, 2 * width, levels_below - 1));
    after = register_module("after", convolutions(3 * width, width));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const auto fine = before->forward(x);
    if (!below) return fine;
    const auto coarse = below->forward(torch::max_pool2d(fine, 2));
    const auto enlarged = torch::upsample_nearest2d(coarse, {fine.size(2), fine.size(3)});
    return after->forward(torch::cat({fine, enlarged}, 1));
  }
  nn::Sequential before, after{nullptr};
  std::shared_ptr<LevelImpl> below;
};
TORCH_MODULE(Level);

/// Maps N x 3 x H x W to N x classes x H x W. `width`: channels of the first level, a multiple of 8.
inline nn::Sequential network(std::int64_t classes, std::int64_t width) {
  return nn::Sequential(Level(3, width, 3), nn::Conv2d(nn::Conv2dOptions(width, classes, 1)));
}

}  // namespace unet
