// A rare class as often as a common one: a weight for each sample.
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <weir/weir.hpp>

namespace {

/// The ten classes of the synthetic images as two: one image in ten has class 1.
std::map<std::int64_t, std::int64_t> rare_class() {
  std::map<std::int64_t, std::int64_t> labels{{9, 1}};
  for (std::int64_t common = 0; common < 9; ++common) labels[common] = 0;
  return labels;
}

std::array<std::uint64_t, 2> images_of_class(weir::Loader& loader) {
  std::array<std::uint64_t, 2> count{};
  for (weir::Batch& batch : loader.stream())
    for (const auto label : batch.labels()) ++count.at(static_cast<std::size_t>(label));
  return count;
}

}  // namespace

int main() try {
  const auto images = weir::relabelled(weir::synthetic(400, {32, 32}), rare_class());
  // The weight of a sample is 1 / the number of images in its class.
  const auto weights = weir::balanced(images);
  weir::Loader plain(images, {.shape = {32, 32}, .order = weir::Order::shuffle()});
  weir::Loader balanced(images, {.shape = {32, 32}, .order = weir::Order::weighted(weights)});
  const auto before = images_of_class(plain), after = images_of_class(balanced);
  std::printf("class 1: %llu of 400 images by shuffle, %llu of 400 by weights\n",
              static_cast<unsigned long long>(before[1]),
              static_cast<unsigned long long>(after[1]));
  // 400 fair coins: within 160 to 240 but for one seed in ten thousand.
  return before[1] == 40 && after[1] >= 160 && after[1] <= 240 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
