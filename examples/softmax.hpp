// Multinomial logistic regression in plain C++, for examples whose subject is the loader.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Trained by momentum SGD on cross entropy with weight decay. One thread at a time.
class Softmax {
 public:
  Softmax(std::size_t features, std::size_t classes)
      : features_(features),
        classes_(classes),
        weights_(classes * (features + 1)),
        velocity_(weights_.size()),
        gradient_(weights_.size()),
        chances_(classes) {}

  /// One step on `images`, rows of `features` values. Returns the mean loss before the step.
  double learn(std::span<const float> images, std::span<const std::int64_t> labels, float rate) {
    const double loss = add_gradient(images, labels);
    step(rate, labels.size());
    return loss / static_cast<double>(labels.size());
  }

  /// Adds the gradient of the loss of `images` to gradient(). Returns the sum of their losses.
  double add_gradient(std::span<const float> images, std::span<const std::int64_t> labels) {
    double loss = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto image = images.subspan(i * features_, features_);
      const auto label = static_cast<std::size_t>(labels[i]);
      classify(image);
      loss -= std::log(std::max(chances_[label], 1e-30F));
      for (std::size_t c = 0; c < classes_; ++c) {
        const float error = chances_[c] - (c == label ? 1.0F : 0.0F);
        float* row = gradient_.data() + c * width();
        for (std::size_t k = 0; k < features_; ++k) row[k] += error * image[k];
        row[features_] += error;
      }
    }
    return loss;
  }

  /// One step with the mean of the gradients of `images` images. gradient() is then zero.
  void step(float rate, std::uint64_t images) {
    const float share = 1.0F / static_cast<float>(images);
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      velocity_[k] = momentum * velocity_[k] - rate * (gradient_[k] * share + decay * weights_[k]);
      weights_[k] += velocity_[k];
    }
    std::fill(gradient_.begin(), gradient_.end(), 0.0F);
  }

  std::span<float> gradient() { return gradient_; }
  /// All that a checkpoint needs.
  std::span<float> weights() { return weights_; }
  std::span<float> velocity() { return velocity_; }

  /// The most probable class. Leaves the probabilities of all classes in chances_.
  std::size_t classify(std::span<const float> image) {
    for (std::size_t c = 0; c < classes_; ++c) {
      const float* row = weights_.data() + c * width();
      float sum = row[features_];
      for (std::size_t k = 0; k < features_; ++k) sum += row[k] * image[k];
      chances_[c] = sum;
    }
    const auto best = std::max_element(chances_.begin(), chances_.end());
    const float top = *best;
    float total = 0;
    for (auto& chance : chances_) total += chance = std::exp(chance - top);
    for (auto& chance : chances_) chance /= total;
    return static_cast<std::size_t>(best - chances_.begin());
  }

  std::uint64_t count_right(std::span<const float> images, std::span<const std::int64_t> labels) {
    std::uint64_t right = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
      right +=
          classify(images.subspan(i * features_, features_)) == static_cast<std::size_t>(labels[i]);
    return right;
  }

 private:
  static constexpr float momentum = 0.9F, decay = 0.02F;
  std::size_t width() const { return features_ + 1; }  // the last weight is the bias

  std::size_t features_, classes_;
  std::vector<float> weights_, velocity_, gradient_, chances_;
};
