// docs/guide/many-ranks.md: the ranks of a job. Here they run one after another in one process, where a
// launcher would start one process for each.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>
#include <weir/weir.hpp>

namespace {

/// What the ranks have done together.
struct Job {
  std::vector<std::uint64_t> samples;  ///< indices, in the order of training
  std::vector<double> gradients;       ///< of each step, summed over the ranks
};

/// Stands for a gradient: the mean brightness of the rows that hold a sample.
double sum_of_rows(const weir::Batch& batch, Job& job) {
  double sum = 0;
  for (std::uint32_t i = 0; i < batch.size(); ++i) {
    if (batch.statuses()[i] == weir::RowStatus::padding) continue;
    job.samples.push_back(batch.indices()[i]);
    const auto pixels = batch.slice(i, 1).pixels;
    double of_image = 0;
    for (const auto value : pixels) of_image += value;
    sum += of_image / static_cast<double>(pixels.size());
  }
  return sum;
}

/// Trains `steps` steps of one rank. Returns what it has finished.
weir::Progress train(const weir::AnySource& images, const weir::Ranks& ranks, std::uint32_t size,
                     const std::optional<weir::Progress>& saved, std::uint64_t steps, Job& job) {
  weir::Loader loader(
      images, {.shape = {32, 32}, .order = weir::Order::shuffle(), .batch = size, .ranks = ranks});
  weir::Stream stream = loader.stream({.resume = saved});
  for (weir::Batch& batch : stream) {
    const double gradient = sum_of_rows(batch, job) / static_cast<double>(batch.global_rows());
    job.gradients.resize(std::max<std::size_t>(job.gradients.size(), batch.sequence() + 1));
    job.gradients[batch.sequence()] += gradient;  // all_reduce(gradient, sum)
    batch.finish();
    if (batch.sequence() + 1 == steps) break;
  }
  return stream.progress();
}

/// All ranks of a job.
weir::Progress train_all(const weir::AnySource& images, std::uint32_t world, std::uint32_t size,
                         const std::optional<weir::Progress>& saved, std::uint64_t steps,
                         Job& job) {
  std::vector<weir::Progress> states;
  for (std::uint32_t rank = 0; rank < world; ++rank)
    states.push_back(train(images, weir::Ranks::given(rank, world), size, saved, steps, job));
  return weir::Progress::merge(states);
}

bool each_once(std::vector<std::uint64_t> samples, std::uint64_t size) {
  std::ranges::sort(samples);
  return samples.size() == size && std::ranges::adjacent_find(samples) == samples.end();
}

}  // namespace

int main() {
  const weir::AnySource images = weir::synthetic(42, {40, 40});
  Job one, four, resumed;
  train_all(images, 1, 20, std::nullopt, UINT64_MAX, one);
  train_all(images, 4, 5, std::nullopt, UINT64_MAX, four);
  // The job stops after a step on four ranks, and continues on two.
  const auto saved = train_all(images, 4, 5, std::nullopt, 1, resumed);
  train_all(images, 2, 3, saved, UINT64_MAX, resumed);

  bool same = one.gradients.size() == four.gradients.size();
  for (std::size_t i = 0; same && i < one.gradients.size(); ++i)
    same = std::abs(one.gradients[i] - four.gradients[i]) < 1e-9;
  std::printf("%zu steps with the %s gradients on 1 and 4 ranks\n", one.gradients.size(),
              same ? "same" : "WRONG");
  return same && each_once(four.samples, 42) && each_once(resumed.samples, 42) ? 0 : 1;
}
