#pragma once

#include <torch/nn.h>

#include <cstdint>

namespace trainer {

namespace nn = torch::nn;

inline nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel,
                       std::int64_t stride) {
  return nn::Conv2d(
      nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

/// Eight groups. Each image is normalised by its own statistics, so a batch in parts gives the same
/// gradients as the whole batch. With BatchNorm it would not.
inline nn::GroupNorm norm(std::int64_t channels) {
  return nn::GroupNorm(nn::GroupNormOptions(8, channels));
}

/// Two convolutions and a shortcut (He et al., Deep Residual Learning, 2015), with GroupNorm
/// instead of BatchNorm (Wu and He, Group Normalization, 2018).
struct BlockImpl : nn::Module {
  BlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride)
      : conv1(register_module("conv1", conv(in, out, 3, stride))),
        conv2(register_module("conv2", conv(out, out, 3, 1))),
        norm1(register_module("norm1", norm(out))),
        norm2(register_module("norm2", norm(out))) {
    if (stride != 1 || in != out) {
      around = register_module("around", nn::Sequential(conv(in, out, 1, stride), norm(out)));
    }
  }
  torch::Tensor forward(const torch::Tensor& x) {
    auto y = torch::relu(norm1(conv1(x)));
    y = norm2(conv2(y));
    return torch::relu(y + (around ? around->forward(x) : x));
  }
  nn::Conv2d conv1, conv2;
  nn::GroupNorm norm1, norm2;
  nn::Sequential around{nullptr};
};
TORCH_MODULE(Block);

/// Three stages. Each is twice as wide as the one before, at half its resolution. Large images are
/// first reduced to a quarter, as in ResNets for photographs.
struct ResNetImpl : nn::Module {
  ResNetImpl(std::int64_t width, std::int64_t blocks, std::int64_t classes, bool large) {
    stem->push_back(large ? conv(3, width, 7, 2) : conv(3, width, 3, 1));
    stem->push_back(norm(width));
    stem->push_back(nn::ReLU());
    if (large) stem->push_back(nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1)));
    auto in = width;
    for (std::int64_t stage = 0; stage < 3; ++stage)
      for (std::int64_t i = 0; i < blocks; ++i) {
        const auto out = width << stage;
        stages->push_back(Block(in, out, i == 0 && stage > 0 ? 2 : 1));
        in = out;
      }
    register_module("stem", stem);
    register_module("stages", stages);
    head = register_module("head", nn::Linear(in, classes));
  }
  /// Maps N x 3 x H x W of any floating type to N x classes of the parameters' type.
  torch::Tensor forward(const torch::Tensor& images) {
    const auto x = stages->forward(stem->forward(images.to(head->weight.scalar_type())));
    return head(x.mean({2, 3}));
  }
  nn::Sequential stem, stages;
  nn::Linear head{nullptr};
};
TORCH_MODULE(ResNet);

}  // namespace trainer
