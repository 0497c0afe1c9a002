#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>
#include <weir/weir.hpp>

#include "classifier.hpp"
#include "loss.hpp"

namespace focal {

inline constexpr std::array gammas{0, 2, 4, 6, 8};
inline constexpr std::array<std::size_t, 2> positives_first{1, 0};  ///< indices in Curves
inline constexpr std::size_t points = 201;                          ///< of each curve
inline constexpr weir::Normalize normalize{{0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}};

/// The values kept for every sample, by the sample's index. So they do not depend on the order of delivery.
template <weir::Element T>
struct Scores {
  Scores(std::size_t samples, std::pmr::memory_resource& memory)
      : logits(samples, &memory), positive(samples, &memory) {}
  std::pmr::vector<T> logits;
  std::pmr::vector<std::uint8_t> positive;
};

/// Curves of negatives, [0], and of positives, [1], for each of `gammas`.
struct Curves {
  std::array<std::array<Curve, gammas.size()>, 2> of{};
  std::array<std::array<std::uint64_t, gammas.size()>, 2> zeros{};  ///< losses too small for T
  std::array<std::uint64_t, 2> samples{};
};

/// One logit for each sample, rounded to T. Only `loader.plan().batch` images are in memory at a time.
template <weir::Element T>
Scores<T> score_streamed(weir::Loader& loader, const Classifier& model, std::int64_t positive,
                         std::pmr::memory_resource& memory) {
  const auto& plan = loader.plan();
  const auto values = static_cast<std::size_t>(plan.row_values());
  const weir::Converter<T> convert(normalize);
  std::pmr::vector<T> images(plan.batch * values, &memory);
  Scores<T> scores(loader.size(), memory);
  for (const weir::Batch& batch : loader.stream()) {
    const std::span<const T> part = convert(batch, images);
    for (std::size_t row = 0; row < batch.size(); ++row) {
      const auto i = batch.indices()[row];
      scores.logits[i] = weir::narrow<T>(model.logit(part.subspan(row * values, values)));
      scores.positive[i] = batch.labels()[row] == positive;
    }
  }
  return scores;
}

/// The same from one tensor of all images.
template <weir::Element T>
Scores<T> score_at_once(weir::Loader& loader, const Classifier& model, std::int64_t positive,
                        std::pmr::memory_resource& memory) {
  const auto values = static_cast<std::size_t>(loader.plan().row_values());
  const weir::Converter<T> convert(normalize);
  std::pmr::vector<T> images(loader.size() * values, &memory);
  Scores<T> scores(loader.size(), memory);
  for (const weir::Batch& batch : loader.stream()) {
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const auto i = batch.indices()[row];
      convert(batch.slice(row, 1), std::span(images).subspan(i * values, values));
      scores.positive[i] = batch.labels()[row] == positive;
    }
  }
  for (std::size_t i = 0; i < scores.logits.size(); ++i)
    scores.logits[i] =
        weir::narrow<T>(model.logit(std::span<const T>(images).subspan(i * values, values)));
  return scores;
}

/// One loss for each sample, rounded to T, for one class and one γ at a time.
template <weir::Element T>
Curves curves_of(const Scores<T>& scores, double alpha, std::pmr::memory_resource& memory) {
  Curves curves;
  for (const auto positive : scores.positive) ++curves.samples[positive];
  std::pmr::vector<T> losses(&memory);
  losses.reserve(std::max(curves.samples[0], curves.samples[1]));
  for (std::size_t is_positive = 0; is_positive < 2; ++is_positive)
    for (std::size_t g = 0; g < gammas.size(); ++g) {
      losses.clear();
      for (std::size_t i = 0; i < scores.logits.size(); ++i)
        if (scores.positive[i] == is_positive)
          losses.push_back(
              weir::narrow<T>(focal_loss(static_cast<double>(weir::widen(scores.logits[i])),
                                         is_positive == 1, gammas[g], alpha)));
      curves.of[is_positive][g] = accumulate(std::span(losses), points);
      curves.zeros[is_positive][g] = static_cast<std::uint64_t>(
          std::count_if(losses.begin(), losses.end(), [](T x) { return weir::widen(x) == 0; }));
    }
  return curves;
}

}  // namespace focal
