#pragma once

#include <ATen/autocast_mode.h>
#include <torch/nn/functional/loss.h>
#include <torch/utils.h>
#include <torch/version.h>

#include <vector>

#include "network.hpp"

namespace resnet_gpu {

/// bfloat16 autocast on a GPU, while it exists.
class Autocast {
 public:
  explicit Autocast(torch::Device device) : on_(!device.is_cpu()) {
    if (on_) set(true);
  }
  ~Autocast() {
    if (on_) set(false);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  static void set(bool on) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
    at::autocast::set_autocast_enabled(torch::kCUDA, on);
    at::autocast::set_autocast_dtype(torch::kCUDA, torch::kBFloat16);
#else
    at::autocast::set_enabled(on);
    at::autocast::set_autocast_gpu_dtype(torch::kBFloat16);
#endif
    at::autocast::clear_cache();
  }
  bool on_;
};

/// A network in channels-last memory, and SGD with momentum in a few launches for each step.
class Trainer {
 public:
  Trainer(bool deep, std::int64_t classes, torch::Device device, double learning_rate)
      : device_(device), learning_rate_(learning_rate), network_(deep, classes) {
    network_->to(device);
    for (auto& parameter : network_->parameters()) {
      const torch::NoGradGuard moving;
      if (parameter.dim() == 4)
        parameter.set_data(parameter.contiguous(torch::MemoryFormat::ChannelsLast));
      parameters_.push_back(parameter);
      momenta_.push_back(torch::zeros_like(parameter));
    }
  }
  /// Starts a step and returns its loss, on the device: reading it waits for the step.
  torch::Tensor step(const torch::Tensor& images, const torch::Tensor& labels) {
    torch::Tensor loss;
    {
      const Autocast autocast(device_);
      loss = nn::functional::cross_entropy(network_(images), labels);
    }
    loss.backward();
    descend();
    return loss.detach();
  }

 private:
  void descend() {
    const torch::NoGradGuard no_gradients;
    std::vector<torch::Tensor> gradients;
    for (auto& parameter : parameters_) {
      gradients.push_back(parameter.grad());
      parameter.mutable_grad().reset();
    }
    at::_foreach_mul_(momenta_, 0.9);
    at::_foreach_add_(momenta_, gradients);
    at::_foreach_add_(momenta_, parameters_, 5e-5);
    at::_foreach_add_(parameters_, momenta_, -learning_rate_);
  }

  torch::Device device_;
  double learning_rate_;
  ResNet network_;
  std::vector<torch::Tensor> parameters_, momenta_;
};

}  // namespace resnet_gpu
