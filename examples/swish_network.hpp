// Linear(features, width), Swish, BatchNorm1d(width), Linear(width, 1): the network of the published
// profile, with a backward pass by hand. Every tensor is charged to an account of `memory`.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <vector>
#include <weir/memory.hpp>

#include "dense.hpp"

/// plain: y = x · σ(x) as two operations, which keep x and σ(x). recomputed: one operation that
/// keeps only x and computes σ(x) again in the backward pass.
enum class Swish { plain, recomputed };

template <class Real>
class SwishNetwork {
 public:
  using Values = dense::Values<Real>;
  enum Parameter { weight1, bias1, scale, shift, weight2, bias2 };
  using Parameters = std::array<Values, 6>;

  SwishNetwork(std::size_t features, std::size_t width, Swish swish, weir::CountingResource& memory)
      : width_(width),
        swish_(swish),
        parameters_(on(memory.account("parameters"))),
        gradients_(on(memory.account("gradients"))),
        running_mean_(width, 0, memory.account("buffers")),
        running_variance_(width, 1, memory.account("buffers")),
        activations_(memory.account("activations")),
        workspace_(memory.account("workspace")) {
    const std::array sizes{features * width, width, width, width, width, std::size_t{1}};
    for (std::size_t i = 0; i < sizes.size(); ++i) parameters_[i].resize(sizes[i]);
    std::mt19937 random(7);
    dense::initialise<Real>(parameters_[weight1], features, random);
    dense::initialise<Real>(parameters_[bias1], features, random);
    std::fill(parameters_[scale].begin(), parameters_[scale].end(), Real{1});
    dense::initialise<Real>(parameters_[weight2], width, random);
    dense::initialise<Real>(parameters_[bias2], width, random);
  }

  /// `input` must stay valid until backward() has ended: the last step of backward() reads it.
  void forward(std::span<const Real> input) {
    input_ = input;
    const auto rows = input.size() * width_ / parameters_[weight1].size();
    x_.resize(rows * width_);
    dense::forward<Real>(input, parameters_[weight1], parameters_[bias1], x_);
    apply_swish();
    normalise(rows);
    logits_.resize(rows);
    dense::forward<Real>(z_, parameters_[weight2], parameters_[bias2], logits_);
  }

  /// The mean binary cross entropy with logits. Replaces the logits by its gradient.
  Real loss(std::span<const Real> targets) {
    Real sum = 0;
    for (std::size_t row = 0; row < targets.size(); ++row) {
      auto& logit = logits_[row];
      sum +=
          std::max(logit, Real{0}) - logit * targets[row] + std::log1p(std::exp(-std::abs(logit)));
      logit = (dense::sigmoid(logit) - targets[row]) / static_cast<Real>(targets.size());
    }
    return sum / static_cast<Real>(targets.size());
  }

  /// Adds to the gradients. The first call creates them, layer by layer; they stay. Kept values are
  /// freed when they are no longer needed.
  void backward() {
    dense::add_gradients<Real>(z_, logits_, gradient(weight2), gradient(bias2));
    Values z_gradient(z_.size(), workspace_);
    dense::backward<Real>(logits_, parameters_[weight2], 1, z_gradient);
    dense::release(z_), dense::release(logits_);

    Values y_gradient(y_.size(), workspace_);
    normalise_back(z_gradient, y_gradient);
    dense::release(z_gradient), dense::release(y_), dense::release(statistics_);

    Values x_gradient(x_.size(), workspace_);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const auto sigma = swish_ == Swish::plain ? sigma_[i] : dense::sigmoid(x_[i]);
      x_gradient[i] = y_gradient[i] * dense::swish_slope(x_[i], sigma);
    }
    dense::release(y_gradient), dense::release(x_), dense::release(sigma_);
    dense::add_gradients<Real>(input_, x_gradient, gradient(weight1), gradient(bias1));
  }

  /// SGD. Afterwards the gradients are zero and still allocated.
  void step(Real rate) {
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      for (std::size_t k = 0; k < parameters_[i].size(); ++k) {
        parameters_[i][k] -= rate * gradients_[i][k];
        gradients_[i][k] = 0;
      }
  }

  Parameters& parameters() noexcept { return parameters_; }
  const Parameters& gradients() const noexcept { return gradients_; }

 private:
  static Parameters on(std::pmr::memory_resource* account) {
    return {Values(account), Values(account), Values(account),
            Values(account), Values(account), Values(account)};
  }

  Values& gradient(Parameter of) {
    gradients_[of].resize(parameters_[of].size());
    return gradients_[of];
  }

  void apply_swish() {
    y_.resize(x_.size());
    if (swish_ == Swish::plain) sigma_.resize(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const auto sigma = dense::sigmoid(x_[i]);
      y_[i] = x_[i] * sigma;
      if (swish_ == Swish::plain) sigma_[i] = sigma;
    }
  }

  Real mean(std::size_t k) const { return statistics_[k]; }
  Real inverse_deviation(std::size_t k) const { return statistics_[width_ + k]; }

  void normalise(std::size_t rows) {
    constexpr Real epsilon = Real(1e-5), momentum = Real(0.1);
    const auto count = static_cast<Real>(rows);
    statistics_.assign(2 * width_, 0);
    const auto sums = std::span(statistics_).first(width_),
               squares = std::span(statistics_).last(width_);
    for (std::size_t i = 0; i < y_.size(); ++i) sums[i % width_] += y_[i] / count;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const auto off = y_[i] - sums[i % width_];
      squares[i % width_] += off * off / count;
    }
    for (std::size_t k = 0; k < width_; ++k) {
      running_mean_[k] += momentum * (sums[k] - running_mean_[k]);
      running_variance_[k] += momentum * (squares[k] * count / (count - 1) - running_variance_[k]);
      squares[k] = 1 / std::sqrt(squares[k] + epsilon);
    }
    z_.resize(y_.size());
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const auto k = i % width_;
      z_[i] =
          parameters_[scale][k] * (y_[i] - mean(k)) * inverse_deviation(k) + parameters_[shift][k];
    }
  }

  void normalise_back(std::span<const Real> z_gradient, std::span<Real> y_gradient) {
    const auto count = static_cast<Real>(y_.size() / width_);
    const auto normed = [&](std::size_t i) {
      return (y_[i] - mean(i % width_)) * inverse_deviation(i % width_);
    };
    Values sums(2 * width_, workspace_);  // of this call's gradients; earlier ones may exist
    for (std::size_t i = 0; i < y_.size(); ++i) {
      sums[i % width_] += z_gradient[i];
      sums[width_ + i % width_] += z_gradient[i] * normed(i);
    }
    for (std::size_t k = 0; k < width_; ++k) {
      gradient(shift)[k] += sums[k];
      gradient(scale)[k] += sums[width_ + k];
    }
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const auto k = i % width_;
      y_gradient[i] = parameters_[scale][k] * inverse_deviation(k) *
                      (z_gradient[i] - (sums[k] + normed(i) * sums[width_ + k]) / count);
    }
  }

  const std::size_t width_;
  const Swish swish_;
  Parameters parameters_, gradients_;
  Values running_mean_, running_variance_;  ///< for prediction
  std::pmr::memory_resource* const activations_;
  std::pmr::memory_resource* const workspace_;
  std::span<const Real> input_;
  // Kept for the backward pass. sigma_ is for the plain Swish only. statistics_: means, then
  // inverse deviations.
  Values x_{activations_}, sigma_{activations_}, y_{activations_}, statistics_{activations_},
      z_{activations_}, logits_{activations_};
};
