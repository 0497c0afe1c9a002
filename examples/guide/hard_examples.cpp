// docs/guide/epochs-and-requests.md: hard-example mining. The trainer asks for the samples with the
// largest losses.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numeric>
#include <span>
#include <vector>
#include <weir/weir.hpp>

#include "../softmax.hpp"

namespace {

constexpr std::uint32_t batch_size = 20;
constexpr std::uint64_t steps = 150;

/// The samples with the largest losses. A sample that is asked for has no loss until it is trained.
std::vector<std::uint64_t> hardest(std::vector<double>& losses) {
  std::vector<std::uint64_t> samples(losses.size());
  std::iota(samples.begin(), samples.end(), 0ull);
  std::partial_sort(samples.begin(), samples.begin() + batch_size, samples.end(),
                    [&](auto a, auto b) { return losses[a] > losses[b]; });
  samples.resize(batch_size);
  for (const auto sample : samples) losses[sample] = 0;
  return samples;
}

}  // namespace

int main() {
  weir::Loader loader(weir::synthetic(400, {36, 36}), {.shape = {32, 32},
                                                       .fit = weir::Fit::stretch,
                                                       .batch = batch_size,
                                                       .cache = {weir::Cache::decoded, 2u << 20}});
  Softmax model(loader.plan().row_values(), loader.class_names().size());
  const weir::Converter<float> to_float({{0.5, 0.5, 0.5}, {0.25, 0.25, 0.25}});
  std::vector<float> image(loader.plan().row_values());

  // Every sample comes first once: its loss is not known.
  std::vector<double> losses(loader.size(), std::numeric_limits<double>::infinity());
  std::vector<std::uint64_t> draws(loader.size());
  auto requests = loader.requests({.max_outstanding = 3});
  for (std::uint64_t asked = 0, step = 0; step < steps; ++step) {
    for (; asked < std::min(step + 3, steps); ++asked) requests.ask(hardest(losses));
    const auto batch = requests.next();
    for (std::uint32_t row = 0; row < batch->size(); ++row) {
      const auto sample = batch->indices()[row];
      to_float(batch->slice(row, 1), image);
      losses[sample] = model.add_gradient(image, batch->labels().subspan(row, 1));
      ++draws[sample];
    }
    model.step(0.002F, batch->size());
  }

  std::ranges::sort(draws);
  const auto tenth = static_cast<std::ptrdiff_t>(draws.size() / 10);
  const auto few = std::accumulate(draws.begin(), draws.begin() + tenth, 0ull);
  const auto many = std::accumulate(draws.end() - tenth, draws.end(), 0ull);
  const auto cache = loader.report().cache;
  std::printf("a tenth of the samples came %.1f times each, another tenth %.1f times\n",
              static_cast<double>(few) / static_cast<double>(tenth),
              static_cast<double>(many) / static_cast<double>(tenth));
  std::printf("%llu of %llu draws were in the cache\n", static_cast<unsigned long long>(cache.hits),
              static_cast<unsigned long long>(steps * batch_size));
  const bool all_came = draws.front() > 0, mined = many > 2 * few;
  return all_came && mined && cache.hits == steps * batch_size - loader.size() ? 0 : 1;
}
