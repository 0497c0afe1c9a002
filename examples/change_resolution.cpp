// The size of the images changes while training runs: with the epoch, every ten steps as in Darknet,
// or from a quarter of each image to all of it. Loader, threads and cache stay.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <set>
#include <utility>
#include <weir/weir.hpp>

namespace {

using Sides = std::set<std::pair<std::uint32_t, std::uint32_t>>;

weir::Options small_first() {
  weir::Options options;
  options.shape = {224, 224};  // the largest size
  options.order = weir::Order::shuffle();
  options.batch = 8;
  options.cache = {.keep = weir::Cache::encoded, .max_bytes = 64u << 20};
  options.sizes.size = {
      .name = "160, 192, 224", .of = [](const weir::SizeInput& in) {
        const std::uint32_t side = in.epoch < 10 ? 160 : in.epoch < 30 ? 192 : 224;
        return weir::ImageSize{side, side};
      }};
  return options;
}

/// Every ten steps another multiple of 32, from 416 / 1.4 to 416 * 1.4.
weir::SizeFunction darknet(std::uint64_t steps_per_epoch) {
  return {.name = "darknet 416", .of = [=](const weir::SizeInput& in) {
            const auto step = in.epoch * steps_per_epoch + in.step;
            weir::Random random(7, 0, step / 10);
            const double side = random.uniform(416 / 1.4, 416 * 1.4);
            const auto rounded = 32 * static_cast<std::uint32_t>(side / 32 + 0.5);
            return weir::ImageSize{rounded, rounded};
          }};
}

/// Each image at a quarter of its size, then at a half, then whole.
weir::SizeOptions coarse_to_fine(weir::ImageSize largest) {
  return {.mode = weir::Sizes::ragged,
          .max_height = largest.height,
          .max_width = largest.width,
          .size = {.name = "1/4, 1/2, 1", .of = [](const weir::SizeInput& in) {
                     const std::uint32_t divisor = in.epoch == 0 ? 4 : in.epoch == 1 ? 2 : 1;
                     return weir::ImageSize{std::max(1u, in.image.height / divisor),
                                            std::max(1u, in.image.width / divisor)};
                   }}};
}

/// The sizes of all images of these epochs. The books must be as planned.
Sides sizes_of(weir::Loader& loader, std::uint64_t epochs, const char* what) {
  Sides sides;
  for (weir::Batch& batch : loader.stream({.epochs = epochs}))
    for (std::uint32_t i = 0; i < batch.size(); ++i)
      sides.emplace(batch.image(i).shape.height, batch.image(i).shape.width);
  const auto report = loader.report();
  std::printf("%s: %zu sizes, %llu reads, %llu from the cache, peak %.1f of at most %.1f MiB\n",
              what, sides.size(), static_cast<unsigned long long>(report.cache.misses),
              static_cast<unsigned long long>(report.cache.hits),
              static_cast<double>(report.memory.peak) / (1 << 20),
              static_cast<double>(loader.plan().ceiling_bytes) / (1 << 20));
  if (report.memory.peak > loader.plan().ceiling_bytes) sides.clear();
  return sides;
}

}  // namespace

int main() {
  const auto photos = weir::synthetic(40, {300, 400});
  weir::Loader growing(photos, small_first());
  const auto grown = sizes_of(growing, 31, "with the epoch");

  auto options = small_first();
  options.shape = {576, 576};
  options.batch = 4;
  options.sizes.size = darknet(10);  // 40 images in batches of 4
  weir::Loader random(photos, options);
  const auto drawn = sizes_of(random, 8, "every ten steps");

  options = {};
  options.batch = 1;
  options.sizes = coarse_to_fine({512, 512});
  weir::Loader scene(photos, options);
  const auto scaled = sizes_of(scene, 3, "coarse to fine");
  const auto measured = weir::measure_sizes(photos, options);
  Sides wanted;
  for (std::uint64_t i = 0; i < measured->size(); ++i)
    for (const std::uint32_t divisor : {4u, 2u, 1u})
      wanted.emplace((*measured)[i].height / divisor, (*measured)[i].width / divisor);

  const bool multiples = std::ranges::all_of(drawn, [](const auto& size) {
    return size.first % 32 == 0 && size.first >= 288 && size.first <= 576;
  });
  const bool grows = grown == Sides{{160, 160}, {192, 192}, {224, 224}};
  return grows && drawn.size() > 2 && multiples && scaled == wanted ? 0 : 1;
}
