#pragma once

#include <torch/nn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace resnet_gpu {

namespace nn = torch::nn;

/// A convolution and its BatchNorm.
inline nn::Sequential conv(std::int64_t in, std::int64_t out, std::int64_t kernel,
                           std::int64_t stride = 1) {
  return nn::Sequential(
      nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false)),
      nn::BatchNorm2d(out));
}

/// Convolutions with ReLU between them, and a shortcut (He et al., Deep Residual Learning, 2015).
struct BlockImpl : nn::Module {
  BlockImpl(std::int64_t in, std::int64_t width, std::int64_t out, std::int64_t stride, bool deep) {
    if (deep)  // the stride is in the second convolution, as in torchvision
      parts = {conv(in, width, 1), conv(width, width, 3, stride), conv(width, out, 1)};
    else
      parts = {conv(in, width, 3, stride), conv(width, out, 3)};
    for (std::size_t i = 0; i < parts.size(); ++i)
      register_module("part" + std::to_string(i), parts[i]);
    if (stride != 1 || in != out) around = register_module("around", conv(in, out, 1, stride));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    auto y = parts.front()->forward(x);
    for (std::size_t i = 1; i < parts.size(); ++i) y = parts[i]->forward(y.relu_());
    return y.add_(around ? around->forward(x) : x).relu_();
  }
  std::vector<nn::Sequential> parts;
  nn::Sequential around{nullptr};
};
TORCH_MODULE(Block);

/// ResNet-18, or ResNet-50 if it is deep.
struct ResNetImpl : nn::Module {
  ResNetImpl(bool deep, std::int64_t classes) : stem(conv(3, 64, 7, 2)) {
    const std::array<int, 4> blocks = deep ? std::array{3, 4, 6, 3} : std::array{2, 2, 2, 2};
    std::int64_t in = 64;
    for (std::size_t stage = 0; stage < 4; ++stage)
      for (int i = 0; i < blocks[stage]; ++i) {
        const std::int64_t width = std::int64_t{64} << stage, out = deep ? 4 * width : width;
        stages->push_back(Block(in, width, out, i == 0 && stage > 0 ? 2 : 1, deep));
        in = out;
      }
    register_module("stem", stem);
    register_module("stages", stages);
    head = register_module("head", nn::Linear(in, classes));
  }
  torch::Tensor forward(const torch::Tensor& images) {
    const auto x = torch::max_pool2d(stem->forward(images).relu_(), 3, 2, 1);
    return head(stages->forward(x).mean({2, 3}));
  }
  nn::Sequential stem, stages;
  nn::Linear head{nullptr};
};
TORCH_MODULE(ResNet);

}  // namespace resnet_gpu
