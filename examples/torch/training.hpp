#pragma once

#include <torch/nn/functional/loss.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <weir/profile.hpp>

#include "gradients.hpp"
#include "outcome.hpp"
#include "resnet.hpp"
#include "tensor_memory.hpp"

namespace trainer {

/// A phase of the profile, if there is one. Its tensors are charged to its account.
class Phase {
 public:
  Phase(weir::MemoryProfile* profile, const char* name, const char* account) : counted_(account) {
    if (profile) phase_.emplace(profile->phase(name));
  }

 private:
  CountAs counted_;
  std::optional<weir::MemoryProfile::Phase> phase_;
};

/// Sum of the losses of `count` images, as a share of a batch of `of`.
inline torch::Tensor share_of_loss(const torch::Tensor& logits, const torch::Tensor& labels,
                                   std::int64_t of) {
  namespace F = torch::nn::functional;
  return F::cross_entropy(logits, labels, F::CrossEntropyFuncOptions().reduction(torch::kSum)) /
         static_cast<double>(of);
}

/// Adds the gradients of a batch, one micro-batch after the other, to those of the model. They
/// equal those of the whole batch except for rounding. Returns the batch's mean loss.
template <class Batch>
double accumulate(ResNet& model, const Batch& batch, std::int64_t micro_batch,
                  weir::MemoryProfile* profile = nullptr) {
  double loss = 0;
  for (std::int64_t first = 0; first < batch.size(); first += micro_batch) {
    const auto count = std::min(micro_batch, batch.size() - first);
    torch::Tensor images, labels, part;
    {
      const Phase phase(profile, "data", "input");
      images = batch.images(first, count);
      labels = batch.labels(first, count);
    }
    {
      const Phase phase(profile, "forward", "activations");
      part = share_of_loss(model(images), labels, batch.size());
    }
    {
      const Phase phase(profile, "backward", "gradients");
      part.backward();
    }
    loss += part.template item<double>();
  }
  return loss;
}

struct Trainer {
  Trainer(ResNet network, double learning_rate)
      : model(std::move(network)),
        optimizer(model->parameters(),
                  torch::optim::SGDOptions(learning_rate).momentum(0.9).weight_decay(5e-4)) {}

  template <class Batch>
  double step(const Batch& batch, std::int64_t micro_batch,
              weir::MemoryProfile* profile = nullptr) {
    if (profile) profile->begin_step();
    const auto loss = accumulate(model, batch, micro_batch, profile);
    const Phase phase(profile, "step", "optimizer");
    optimizer.step();
    optimizer.zero_grad();
    return loss;
  }

  ResNet model;
  torch::optim::SGD optimizer;
};

/// One epoch of `feed`, without gradients. `sum`: of all values delivered.
template <class Feed>
Confusion evaluate(ResNet& model, Feed& feed, std::size_t classes, double& sum) {
  const torch::NoGradGuard no_gradients;
  Confusion confusion(classes);
  sum = 0;
  feed.epoch([&](const auto& batch) {
    const auto images = batch.images(0, batch.size());
    const auto labels = batch.labels(0, batch.size());
    const auto taken_for = model(images).argmax(1);
    sum += images.to(torch::kFloat64).sum().template item<double>();
    for (std::int64_t i = 0; i < batch.size(); ++i)
      confusion.add(static_cast<std::size_t>(labels[i].template item<std::int64_t>()),
                    static_cast<std::size_t>(taken_for[i].template item<std::int64_t>()));
  });
  return confusion;
}

/// A batch in float64.
class ExactBatch {
 public:
  ExactBatch(torch::Tensor images, torch::Tensor labels)
      : images_(std::move(images)), labels_(std::move(labels)) {}
  template <class Batch>
  explicit ExactBatch(const Batch& batch, std::int64_t micro_batch) {
    std::vector<torch::Tensor> parts;
    for (std::int64_t first = 0; first < batch.size(); first += micro_batch)
      parts.push_back(
          batch.images(first, std::min(micro_batch, batch.size() - first)).to(torch::kFloat64));
    images_ = torch::cat(parts);
    labels_ = batch.labels(0, batch.size()).clone();
  }
  std::int64_t size() const { return labels_.size(0); }
  torch::Tensor images(std::int64_t first, std::int64_t count) const {
    return images_.narrow(0, first, count);
  }
  torch::Tensor labels(std::int64_t first, std::int64_t count) const {
    return labels_.narrow(0, first, count);
  }

 private:
  torch::Tensor images_, labels_;
};

/// The largest relative difference, over the parameters, between the gradients of `batch` in
/// micro-batches and as a whole. Infinite if there is nothing to compare. In float64, with the
/// model's own weights.
inline double gradient_error(ResNet& exact, const ExactBatch& batch, std::int64_t micro_batch) {
  const auto gradients = [&](std::int64_t part) {
    exact->zero_grad();
    accumulate(exact, batch, part);
    std::vector<torch::Tensor> found;
    for (const auto& parameter : exact->parameters()) found.push_back(parameter.grad().clone());
    return found;
  };
  return largest_difference(gradients(batch.size()), gradients(micro_batch));
}

}  // namespace trainer
