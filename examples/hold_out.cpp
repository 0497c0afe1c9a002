// Every 8th view is held out for evaluation, as trainers of 3D scenes do. Each training step takes
// one of the others at random.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <set>
#include <weir/weir.hpp>

namespace {

std::set<std::uint64_t> indices_of(weir::Loader& loader) {
  std::set<std::uint64_t> indices;
  for (weir::Batch& batch : loader.stream()) indices.insert(batch.indices()[0]);
  return indices;
}

}  // namespace

int main() try {
  const auto views = weir::synthetic(200, {48, 64});
  const auto held = (views.size() + 7) / 8, trained = views.size() - held;

  weir::Loader evaluation(views, {.shape = {48, 64}, .order = weir::Order::every(8), .batch = 1});
  // 1,000 steps over 175 views: an epoch is as long as you say.
  const auto others = weir::Order::own("all but every 8th", 1000,
                                       [=](std::uint64_t, std::uint64_t, weir::Random& random) {
                                         const auto i = random.below(trained);
                                         return i + i / 7 + 1;
                                       });
  weir::Loader training(views, {.shape = {48, 64},
                                .order = others,
                                .batch = 1,
                                .cache = {.keep = weir::Cache::decoded, .max_bytes = 8 << 20}});

  const auto evaluated = indices_of(evaluation), seen = indices_of(training);
  std::size_t both = 0;
  for (const auto view : evaluated) both += seen.count(view);
  const auto cache = training.report().cache;
  std::printf(
      "%zu views for evaluation, %zu for training, %zu in both; %llu of 1000 steps from the "
      "cache\n",
      evaluated.size(), seen.size(), both, static_cast<unsigned long long>(cache.hits));
  return evaluated.size() == held && seen.size() > 170 && both == 0 && cache.hits >= 800 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
