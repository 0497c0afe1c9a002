// One image at a time at its full size, as trainers of 3D scenes need. Prefetching is bounded by
// bytes, and each image takes only its own bytes, not those of the largest.
//   full_size [FOLDER]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>
#include <weir/weir.hpp>

namespace {

constexpr double mebi = 1 << 20;

weir::Options one_at_a_time(std::uint64_t ahead_bytes) {
  weir::Options options;
  options.sizes.mode = weir::Sizes::ragged;
  options.batch = 1;
  options.order = weir::Order::shuffle();
  options.queue.max_queue_size = 256;  // slots; max_bytes is the effective bound
  options.queue.max_bytes = ahead_bytes;
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t ahead_bytes = argc > 1 ? 64 << 20 : 1 << 20;
  weir::Loader loader(argc > 1 ? weir::image_folder(argv[1]) : weir::synthetic(40, {200, 300}),
                      one_at_a_time(ahead_bytes));
  const weir::Converter<float> to_float;
  std::vector<float> target;
  std::uint64_t images = 0, pixels = 0, most_ahead = 0;
  double brightness = 0;
  bool kept = true;
  for (weir::Batch& batch : loader.stream({.epochs = 2})) {
    const weir::ImageView image = batch.image(0);
    target.resize(static_cast<std::size_t>(image.values()));
    to_float(image, std::span(target));  // 3 x H x W, the target image of a renderer
    for (const float value : target) brightness += static_cast<double>(value);
    ++images;
    pixels += image.values() / 3;
    const auto now = loader.snapshot();
    const auto ahead = now.memory[weir::Account::filling] + now.memory[weir::Account::ready];
    most_ahead = std::max(most_ahead, ahead);
    kept &= ahead <= ahead_bytes || now.filling + now.ready == 1;
  }
  const auto& plan = loader.plan();
  std::printf(
      "%llu images, %.2f megapixels on average, the largest %u x %u\n",
      static_cast<unsigned long long>(images),
      static_cast<double>(pixels) / 1e6 / static_cast<double>(std::max<std::uint64_t>(images, 1)),
      plan.sizes.largest.height, plan.sizes.largest.width);
  std::printf("mean value %.3f\n",
              brightness / static_cast<double>(std::max<std::uint64_t>(3 * pixels, 1)));
  std::printf("at most %.1f MiB ahead, %.1f MiB live at the peak\n",
              static_cast<double>(most_ahead) / mebi,
              static_cast<double>(loader.snapshot().memory.peak) / mebi);
  return kept && images == 2 * loader.size() ? 0 : 1;
}
