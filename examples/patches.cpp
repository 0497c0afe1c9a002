// Patches for super-resolution, cut from photographs at their own size. `patches [FOLDER [PACKED]]`: PACKED has the
// images of FOLDER with tiles, as `weir pack FOLDER --keep --tiles 16 --jpegs-to PACKED` writes them. Its patches are the
// same to the bit, and come faster.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>
#include <weir/weir.hpp>

namespace {

constexpr weir::ImageSize patch{192, 192};
constexpr std::uint64_t epochs = 4;

weir::Options options_for_patches() {
  weir::Options options;
  options.shape = patch;
  options.fit = weir::Fit::patch;
  options.order = weir::Order::shuffle();
  options.batch = 8;
  return options;
}

/// The input of the network: each pixel is the mean of 2x2 pixels of the patch.
std::vector<std::uint8_t> halved(const weir::ImageView& image) {
  std::vector<std::uint8_t> half;
  for (std::uint32_t y = 0; y < image.shape.height; y += 2)
    for (std::uint32_t x = 0; x < image.shape.width * 3; x += x % 3 == 2 ? 4 : 1) {
      const auto* const at = image.data + y * image.row_stride + x;
      const auto* const below = at + image.row_stride;
      half.push_back(static_cast<std::uint8_t>((at[0] + at[3] + below[0] + below[3] + 2) / 4));
    }
  return half;
}

struct Seen {
  std::uint64_t patches = 0, checksum = 0;
  double squares = 0, seconds = 0;
};

/// All patches of some epochs. In place of a network, pixels are repeated.
Seen read_patches(const weir::AnySource& images) {
  weir::Loader loader(images, options_for_patches());
  Seen seen;
  const auto begun = std::chrono::steady_clock::now();
  for (weir::Batch& batch : loader.stream({.epochs = epochs})) {
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const auto target = batch.image(row);
      const auto input = halved(target);
      for (std::uint32_t y = 0; y < patch.height; ++y)
        for (std::uint32_t x = 0; x < patch.width * 3; ++x) {
          const auto wanted = target.data[y * target.row_stride + x];
          const auto pixel = (y / 2 * (patch.width / 2) + x / 6) * 3 + x % 3;
          seen.squares += std::pow(wanted - input[pixel], 2);
          seen.checksum = seen.checksum * 1'099'511'628'211 + wanted;
        }
      ++seen.patches;
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  seen.seconds = took.count();
  return seen;
}

void print(const char* from, const Seen& seen) {
  const auto values =
      static_cast<double>(seen.patches * weir::image_bytes(patch, weir::PixelFormat::rgb8));
  std::printf("%s: %llu patches, %.0f a second, pixels repeated: %.2f dB\n", from,
              static_cast<unsigned long long>(seen.patches),
              static_cast<double>(seen.patches) / seen.seconds,
              10 * std::log10(255.0 * 255.0 * values / seen.squares));
}

}  // namespace

int main(int argc, char** argv) try {
  const auto plain = read_patches(argc > 1 ? weir::image_folder(argv[1])
                                           : weir::synthetic(16, {.height = 600, .width = 800}));
  print("as they are", plain);
  if (argc < 3) return 0;
  const auto packed = read_patches(weir::image_folder(argv[2]));
  print("with tiles", packed);
  return packed.patches == plain.patches && packed.checksum == plain.checksum ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
