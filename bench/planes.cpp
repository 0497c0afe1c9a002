// Grey beside RGB, and images with masks beside bare loops, in turns: see README.md.

#include <png.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bare_decoder.hpp"
#include "bare_jpeg.hpp"
#include "base/clock.hpp"
#include "codec/png_encoder.hpp"
#include "images.hpp"
#include "measuring.hpp"
#include "weir/weir.hpp"

namespace {

using namespace weir;
using namespace weir::bench;
namespace fs = std::filesystem;

constexpr ImageSize shape{224, 224};
constexpr std::uint32_t batch = 64, threads = 2, queue = 4;
const codec::FitSpec spec{shape, Fit::random, 256};

/// Photographs, and masks of their sizes: their brightness in eight classes. The destructor removes
/// both.
class Data {
 public:
  Data() {
    fs::create_directories(images());
    fs::create_directories(masks());
    std::uint64_t number = 0;
    for (const auto& sample : bench::images(1000)) {
      const auto name = std::to_string(number++);
      const auto image = fs::path(images()) / (name + ".jpg"),
                 mask = fs::path(masks()) / (name + ".png");
      std::ofstream(image, std::ios::binary)
          .write(reinterpret_cast<const char*>(sample.bytes.data()),
                 static_cast<std::streamsize>(sample.bytes.size()));
      write_mask(sample.bytes, mask);
      ++count_;
    }
  }
  ~Data() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  std::string images() const { return folder_ / "images"; }
  std::string masks() const { return folder_ / "masks"; }
  std::uint64_t count() const noexcept { return count_; }

 private:
  static void write_mask(const std::vector<std::byte>& image, const fs::path& path) {
    BareDecoder decode({.pixels = PixelFormat::grey8});
    const auto plan = decode.plan_whole(image);
    auto pixels = decode(image, plan);
    for (auto& value : pixels) value = static_cast<std::uint8_t>(value >> 5);
    std::vector<std::byte> png(codec::most_png_bytes(PixelFormat::stored8, plan.out()));
    const auto encoded =
        codec::encode_png({pixels.data(), plan.out(), plan.out().width, PixelFormat::stored8}, png);
    if (!encoded) std::abort();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(encoded->data()),
               static_cast<std::streamsize>(encoded->size()));
  }

  fs::path folder_ = fs::temp_directory_path() / ("weir-planes-" + std::to_string(::getpid()));
  std::uint64_t count_ = 0;
};

/// The nearest pixels of the window of a grey PNG, with libpng alone.
void bare_mask(std::span<const std::byte> encoded, std::uint64_t draw, std::uint8_t* row) {
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  if (setjmp(png_jmpbuf(png))) std::abort();
  png_set_read_fn(png, &encoded, [](png_structp from, png_bytep to, png_size_t bytes) {
    auto& rest = *static_cast<std::span<const std::byte>*>(png_get_io_ptr(from));
    std::memcpy(to, rest.data(), bytes);
    rest = rest.subspan(bytes);
  });
  png_read_info(png, info);
  const ImageSize size{png_get_image_height(png, info), png_get_image_width(png, info)};
  const auto window = codec::choose_window(size, spec, draw);
  const auto source = codec::pixels_of(window.source);
  std::vector<std::uint8_t> line(png_get_rowbytes(png, info));
  std::uint32_t next = 0;
  for (std::uint32_t y = 0; y < shape.height; ++y) {
    const auto wanted = source.y + (2 * y + 1) * source.height / (2 * shape.height);
    for (; next <= wanted; ++next) png_read_row(png, line.data(), nullptr);
    for (std::uint32_t x = 0; x < shape.width; ++x) {
      const auto i = window.flip.horizontal ? shape.width - 1 - x : x;
      row[y * shape.width + x] = line[source.x + (2 * i + 1) * source.width / (2 * shape.width)];
    }
  }
  png_destroy_read_struct(&png, &info, nullptr);
}

/// Two threads that open, read, decode and crop both files.
double bare_loops(const Data& data, double seconds) {
  const auto rgb = image_bytes(shape, PixelFormat::rgb8),
             mask = image_bytes(shape, PixelFormat::stored8);
  return in_threads(
             threads, seconds,
             [&] {
               return
                   [&, bare = std::make_unique<BareJpeg>(spec), memory = std::vector<std::byte>(),
                    rows = std::vector<std::uint8_t>(batch * rgb),
                    masks = std::vector<std::uint8_t>(batch * mask)](std::uint64_t i) mutable {
                     const auto slot = i % batch;
                     const auto name = '/' + std::to_string(i % data.count());
                     bare->roi(read_file(data.images() + name + ".jpg", memory), i,
                               rows.data() + slot * rgb);
                     bare_mask(read_file(data.masks() + name + ".png", memory), i,
                               masks.data() + slot * mask);
                   };
             })
      .rate();
}

double pipeline(const Data& data, PixelFormat pixels, bool with_mask, double seconds) {
  Options options{
      .shape = shape, .fit = Fit::random, .pixels = pixels, .batch = batch, .workers = threads};
  options.queue.max_queue_size = queue;
  auto source = image_folder(data.images());
  if (with_mask) {
    source = with_plane(std::move(source), "mask", image_folder(data.masks()));
    options.planes = {{.name = "mask"}};
  }
  Loader loader(source, options);
  auto stream = loader.stream({.epochs = std::nullopt});
  stream.next().reset();
  const auto start = Clock::now();
  std::uint64_t done = 0;
  std::chrono::duration<double> spent{};
  for (; spent.count() < seconds; spent = Clock::now() - start) done += stream.next()->size();
  return static_cast<double>(done) / spent.count();
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 1.5;
  const Data data;
  constexpr const char* names[] = {"rgb8", "grey8", "bare loops", "with mask"};
  std::map<std::string, std::vector<double>> rates;
  for (int round = 0; round < rounds; ++round) {
    rates["rgb8"].push_back(pipeline(data, PixelFormat::rgb8, false, seconds));
    rates["grey8"].push_back(pipeline(data, PixelFormat::grey8, false, seconds));
    rates["bare loops"].push_back(bare_loops(data, seconds));
    rates["with mask"].push_back(pipeline(data, PixelFormat::rgb8, true, seconds));
  }
  std::printf("%zu photographs, %d rounds of %.1f s in turns; samples/s, medians, 2 threads\n",
              static_cast<std::size_t>(data.count()), rounds, seconds);
  for (const char* name : names) std::printf("  %-12s %8.0f\n", name, median(rates[name]));
  const auto ratio = [&](const char* one, const char* other) {
    std::vector<double> ratios = rates[one];
    for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] /= rates[other][i];
    return median(ratios);
  };
  std::printf("grey8 of rgb8: %.3f; image and mask of bare loops: %.3f\n", ratio("grey8", "rgb8"),
              ratio("with mask", "bare loops"));
}
