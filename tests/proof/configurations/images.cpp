#include "proof/configurations/images.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "support/data.hpp"
#include "unit/codec/encoders.hpp"

namespace weir::test {
namespace {

constexpr std::size_t real_photographs = 12;

void add_real_photographs(std::vector<Bytes>& images) {
  const auto folder = test_data("photos");
  if (!folder) return;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder)) {
    if (entry.path().extension() == ".jpg") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  const auto step = std::max<std::size_t>(1, paths.size() / real_photographs);
  for (std::size_t i = 0; i < paths.size(); i += step) {
    images.push_back(codec::test::read_file(paths[i]));
  }
}

Bytes cut(const Bytes& whole, std::size_t percent) {
  return {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(whole.size() * percent / 100)};
}

std::vector<Bytes> broken_images() {
  std::vector<Bytes> images{Bytes(1), Bytes(700, std::byte{'x'})};
  for (const std::size_t percent : {3u, 40u, 95u}) {
    images.push_back(cut(make_jpeg(120, 90, false), percent));
    images.push_back(cut(make_jpeg(300, 200, true), percent));
    images.push_back(cut(make_png(64, 48, false), percent));
  }
  auto flipped = make_png(64, 48, false);
  flipped[flipped.size() / 2] ^= std::byte{0x55};
  images.push_back(std::move(flipped));
  return images;
}

std::vector<Bytes> make(Kind kind) {
  std::vector<Bytes> images;
  switch (kind) {
    case Kind::photograph:
      for (std::uint32_t i = 0; i < 16; ++i)
        images.push_back(make_jpeg(30 + i * 15, 260 - i * 13, false));
      add_real_photographs(images);
      break;
    case Kind::huge:
      images = {make_jpeg(1800, 1300, false), make_jpeg(1400, 1100, true),
                make_png(1100, 900, false)};
      break;
    case Kind::tiny:
      for (const std::uint32_t side : {1u, 2u, 7u, 8u, 17u}) {
        images.push_back(make_jpeg(side, 1 + side / 2, false));
        images.push_back(make_png(side, side, side > 4));
      }
      break;
    case Kind::progressive:
      for (std::uint32_t i = 0; i < 6; ++i)
        images.push_back(make_jpeg(40 + i * 60, 60 + i * 40, true));
      break;
    case Kind::png:
      for (std::uint32_t i = 0; i < 6; ++i)
        images.push_back(make_png(20 + i * 40, 50 + i * 25, i % 2 == 1));
      break;
    case Kind::webp:
      for (std::uint32_t i = 0; i < 4; ++i) {
        const auto raster = codec::test::pattern(40 + 50 * i, 30 + 45 * i);
        images.push_back(
            codec::test::encode_webp(raster, i % 2 == 0 ? std::optional(80.f) : std::nullopt));
      }
      break;
    case Kind::broken: images = broken_images(); break;
  }
  return images;
}

}  // namespace

Bytes make_jpeg(std::uint32_t width, std::uint32_t height, bool progressive) {
  return codec::test::encode_jpeg(codec::test::pattern(width, height),
                                  {.progressive = progressive});
}

Bytes make_png(std::uint32_t width, std::uint32_t height, bool interlaced) {
  return codec::test::encode_png(width, height, codec::test::pattern(width, height).values,
                                 {.interlaced = interlaced});
}

void fill_with_images(const std::filesystem::path& folder, int files) {
  const Bytes jpeg = make_jpeg(240, 180, false), png = make_png(120, 90, false);
  for (int i = 0; i < files; ++i) {
    const Bytes& bytes = i % 2 == 0 ? jpeg : png;
    std::ofstream(folder / std::to_string(i), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
}

const std::vector<Bytes>& images_of(Kind kind) {
  static const auto all = [] {
    std::array<std::vector<Bytes>, kind_count> made;
    for (std::size_t i = 0; i < kind_count; ++i) made[i] = make(static_cast<Kind>(i));
    return made;
  }();
  return all[static_cast<std::size_t>(kind)];
}

Encoded Files::read(std::uint64_t i, ByteSink& sink) const {
  const auto copy = [&](std::uint64_t file) {
    const auto& bytes = *(*files_)[file % files_->size()];
    const auto memory = sink.take(bytes.size());
    std::memcpy(memory.data(), bytes.data(), bytes.size());
    return memory;
  };
  Encoded sample{.bytes = copy(i), .label = *label(i)};
  for (std::uint64_t plane = 0; plane < 2; ++plane) {
    const bool there = sink.wants(plane) && (i + plane) % 5 != 0;
    (void)sample.planes.add(there ? std::span<const std::byte>(copy(i + 3 * plane + 1))
                                  : std::span<const std::byte>());
  }
  if (sink.wants_annotation())
    sample.annotation = sample.bytes.first(
        std::min<std::size_t>(sample.bytes.size(), static_cast<std::size_t>(i * 97 % 300)));
  return sample;
}

}  // namespace weir::test
