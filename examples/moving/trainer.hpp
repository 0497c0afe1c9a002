#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

/// Takes the place of a network: collects its input by label. The result does not depend on order and batches.
class Trainer {
 public:
  /// `count` images of 3 x side x side floats each.
  void learn(const float* images, const std::int64_t* labels, std::size_t count, std::size_t side) {
    const std::size_t values = 3 * side * side;
    for (std::size_t i = 0; i < count; ++i) {
      auto& shown = shown_[labels[i]];
      for (std::size_t k = 0; k < values; ++k) shown.sum += images[i * values + k];
      shown.values += values;
      shown.hash += hash(images + i * values, values);
      ++shown.images;
    }
  }
  /// One line for each class: number of images, their mean, the sum of their hashes.
  std::string text() const {
    std::string text;
    for (const auto& [label, shown] : shown_) {
      char line[120];
      std::snprintf(line, sizeof line, "class %lld: %zu images, mean %.4f, hash %016llx\n",
                    static_cast<long long>(label), shown.images,
                    shown.sum / static_cast<double>(shown.values),
                    static_cast<unsigned long long>(shown.hash));
      text += line;
    }
    return text;
  }
  void print() const { std::fputs(text().c_str(), stdout); }

 private:
  struct Shown {
    double sum = 0;
    std::size_t values = 0, images = 0;
    std::uint64_t hash = 0;
  };

  /// FNV-1a of the values and their positions, in steps of 1/272. Different pixel values are two
  /// steps apart. Rounding errors of the conversion to float stay within one step.
  static std::uint64_t hash(const float* values, std::size_t count) {
    std::uint64_t hash = 14695981039346656037U;
    for (std::size_t k = 0; k < count; ++k)
      hash = (hash ^ static_cast<std::uint32_t>(std::lround(values[k] * 272))) * 1099511628211U;
    return hash;
  }

  std::map<std::int64_t, Shown> shown_;
};
