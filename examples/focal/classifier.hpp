#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>
#include <weir/convert.hpp>

#include "loss.hpp"

namespace focal {

/// Logistic regression: one logit for each image, "positive" against all other classes.
class Classifier {
 public:
  /// `rarity` is the initial probability of a positive, set by the last bias as in RetinaNet (section 3.3).
  Classifier(std::size_t values, double rarity)
      : weights_(values), bias_(static_cast<float>(-std::log((1 - rarity) / rarity))) {}

  /// One step of stochastic gradient descent on the cross entropy of `images`. Returns the mean before the step.
  double learn(std::span<const float> images, std::span<const std::int64_t> labels,
               std::int64_t positive, float rate) {
    std::vector<float> gradient(weights_.size());
    float bias_gradient = 0;
    double loss = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto image = images.subspan(i * weights_.size(), weights_.size());
      const bool is_positive = labels[i] == positive;
      const double x = logit(image);
      loss += focal_loss(x, is_positive, 0, 0.5) * 2;
      const auto error =
          static_cast<float>(std::exp(log_sigmoid(x)) - static_cast<double>(is_positive));
      for (std::size_t k = 0; k < image.size(); ++k) gradient[k] += error * image[k];
      bias_gradient += error;
    }
    const float step = rate / static_cast<float>(labels.size());
    for (std::size_t k = 0; k < weights_.size(); ++k) weights_[k] -= step * gradient[k];
    bias_ -= step * bias_gradient;
    return loss / static_cast<double>(labels.size());
  }

  /// Sums in float32 for every T, in the order of the values.
  template <weir::Element T>
  float logit(std::span<const T> image) const {
    float sum = bias_;
    for (std::size_t k = 0; k < image.size(); ++k) sum += weights_[k] * weir::widen(image[k]);
    return sum;
  }

 private:
  std::vector<float> weights_;
  float bias_;
};

}  // namespace focal
