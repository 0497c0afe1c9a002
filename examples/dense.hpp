// Parts of the examples' networks: products of row-major matrices, and Swish.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory_resource>
#include <random>
#include <span>
#include <vector>

namespace dense {

template <class Real>
using Values = std::pmr::vector<Real>;

/// Frees the memory. A vector's clear() would keep it.
template <class Real>
void release(Values<Real>& values) {
  values = Values<Real>(values.get_allocator());
}

/// out = in · weights + bias. `weights` is inputs x outputs; `in` and `out` have one row for each image.
template <class Real>
void forward(std::span<const Real> in, std::span<const Real> weights, std::span<const Real> bias,
             std::span<Real> out) {
  const auto outputs = bias.size(), inputs = weights.size() / outputs, rows = in.size() / inputs;
  for (std::size_t row = 0; row < rows; ++row) {
    Real* const to = out.data() + row * outputs;
    for (std::size_t k = 0; k < outputs; ++k) to[k] = bias[k];
    for (std::size_t i = 0; i < inputs; ++i) {
      const Real value = in[row * inputs + i];
      const Real* const weight = weights.data() + i * outputs;
      for (std::size_t k = 0; k < outputs; ++k) to[k] += value * weight[k];
    }
  }
}

/// Adds to the gradients of weights and bias, one image after the other. So the sums are the same,
/// bit for bit, for a batch as a whole and in parts.
template <class Real>
void add_gradients(std::span<const Real> in, std::span<const Real> out_gradient,
                   std::span<Real> weights, std::span<Real> bias) {
  const auto outputs = bias.size(), inputs = weights.size() / outputs, rows = in.size() / inputs;
  for (std::size_t row = 0; row < rows; ++row) {
    const Real* const from = out_gradient.data() + row * outputs;
    for (std::size_t k = 0; k < outputs; ++k) bias[k] += from[k];
    for (std::size_t i = 0; i < inputs; ++i) {
      const Real value = in[row * inputs + i];
      Real* const weight = weights.data() + i * outputs;
      for (std::size_t k = 0; k < outputs; ++k) weight[k] += value * from[k];
    }
  }
}

/// in_gradient = out_gradient · weightsᵀ
template <class Real>
void backward(std::span<const Real> out_gradient, std::span<const Real> weights,
              std::size_t outputs, std::span<Real> in_gradient) {
  const auto inputs = weights.size() / outputs, rows = out_gradient.size() / outputs;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < inputs; ++i) {
      Real sum = 0;
      for (std::size_t k = 0; k < outputs; ++k)
        sum += out_gradient[row * outputs + k] * weights[i * outputs + k];
      in_gradient[row * inputs + i] = sum;
    }
}

template <class Real>
Real sigmoid(Real x) {
  return 1 / (1 + std::exp(-x));
}

/// d(x·σ(x))/dx, from x and σ(x).
template <class Real>
Real swish_slope(Real x, Real sigma) {
  return sigma * (1 + x * (1 - sigma));
}

/// Uniform in ±1/sqrt(inputs), like the initial weights of PyTorch's Linear.
template <class Real>
void initialise(std::span<Real> weights, std::size_t inputs, std::mt19937& random) {
  const auto bound = 1 / std::sqrt(static_cast<Real>(inputs));
  for (auto& weight : weights) {
    // Standard distributions give different numbers in different libraries.
    const auto unit = static_cast<Real>(random()) / static_cast<Real>(std::mt19937::max());
    weight = bound * (2 * unit - 1);
  }
}

}  // namespace dense
