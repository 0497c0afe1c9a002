// docs/guide/planes.md: masks, depth, pairs and drawn planes. Each function is one trainer's data.
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

#include "../png.hpp"

namespace {

constexpr std::uint32_t side = 24;

/// VOC: not every image has a mask. 255 is "ignore", and libtorch's name for that is -100.
weir::Loader segmentation(weir::AnySource images, weir::AnySource masks) {
  return weir::Loader(
      weir::with_plane(std::move(images), "mask", std::move(masks), weir::MissingPlane::skip),
      {.shape = {side, side},
       .fit = weir::Fit::random,
       .planes = {{.name = "mask", .fill = {255}}},
       .batch = 4});
}

std::vector<std::int64_t> targets(const weir::Batch& batch) {
  std::vector<std::int64_t> table(256);
  for (std::size_t i = 0; i < 255; ++i) table[i] = static_cast<std::int64_t>(i);
  table[255] = -100;
  const auto mask = batch.plane("mask").pixels();
  std::vector<std::int64_t> values(mask.pixels.size());
  weir::widen(mask, values, table);
  return values;
}

/// pix2pix: a map of any size for each photograph.
weir::Loader pairs(weir::AnySource photos, weir::AnySource maps) {
  return weir::Loader(weir::with_plane(std::move(photos), "map", std::move(maps)),
                      {.shape = {side, side},
                       .fit = weir::Fit::stretch,
                       .flip = {.horizontal = 0.5},
                       .planes = {{.name = "map",
                                   .pixels = weir::PixelFormat::rgb8,
                                   .match = weir::PlaneMatch::stretch}},
                       .batch = 4});
}

/// A trainer of 3D scenes: lists of paths, empty where a view has no mask or no depth.
weir::Loader views(weir::AnySource images, const std::vector<std::string>& masks,
                   const std::vector<std::string>& depths) {
  const auto absent = weir::MissingPlane::absent;
  auto with_mask = weir::with_plane(std::move(images), "mask", masks, absent);
  return weir::Loader(
      weir::with_plane(std::move(with_mask), "depth", depths, absent),
      {.shape = {side, side},
       .planes = {{.name = "mask", .fill = {255}, .optional = true},
                  {.name = "depth", .pixels = weir::PixelFormat::stored16, .optional = true}},
       .batch = 4});
}

struct Corner {
  double x, y;
};
using Triangle = std::array<Corner, 3>;

/// Whether the corners see the point on the same side of all edges.
bool contains(const Triangle& triangle, double x, double y) {
  bool inside = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [ax, ay] = triangle[i];
    const auto [bx, by] = triangle[(i + 1) % 3];
    inside &= (bx - ax) * (y - ay) >= (by - ay) * (x - ax);
  }
  return inside;
}

/// Polygons in shares of the image's width and height: the transform draws them into a made plane.
weir::Loader drawn(weir::AnySource images, std::vector<Triangle> triangles) {
  const auto draw = [triangles = std::move(triangles)](weir::DecodedSample& sample) {
    const auto mask = sample.plane("mask").row;
    for (std::uint32_t y = 0; y < mask.shape.height; ++y)
      for (std::uint32_t x = 0; x < mask.shape.width; ++x)
        if (contains(triangles[sample.index], (x + 0.5) / mask.shape.width,
                     (y + 0.5) / mask.shape.height))
          mask.data[y * mask.row_stride + x] = 1;
  };
  return weir::Loader(std::move(images),
                      {.shape = {side, side},
                       .fit = weir::Fit::stretch,
                       .planes = {{.name = "mask", .made = true}},
                       .batch = 4,
                       .transform = {.apply = draw, .input = weir::TransformInput::fitted}});
}

constexpr Triangle triangle{{{0.1, 0.1}, {0.9, 0.2}, {0.4, 0.8}}};

/// Red inside the triangle and black around it; in a mask 1 and 0; 16 bits: 3000 and 0.
std::vector<std::byte> made(PngKind kind, std::uint32_t width, std::uint32_t height) {
  std::vector<std::uint8_t> values;
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const bool inside = contains(triangle, (x + 0.5) / width, (y + 0.5) / height);
      if (kind == PngKind::rgb)
        for (const int value : {255, 0, 0})
          values.push_back(static_cast<std::uint8_t>(inside ? value : 0));
      else if (kind == PngKind::palette)
        values.push_back(inside ? 1 : 0);
      else
        for (const int value : {3000 >> 8, 3000 & 255})
          values.push_back(static_cast<std::uint8_t>(inside ? value : 0));
    }
  return write_png(kind, width, height, values);
}

weir::AnySource made_source(PngKind kind, std::uint32_t width, std::uint64_t count,
                            std::uint64_t step = 1) {
  std::vector<weir::MemorySample> samples;
  for (std::uint64_t i = 0; i < count; i += step)
    samples.push_back({std::to_string(i) + ".png", made(kind, width, side)});
  return weir::in_memory(std::move(samples));
}

/// Pixels of a plane that are not `inside` where the image is red, or not 0 where it is black.
template <class Value>
std::uint64_t wrong_pixels(const weir::Batch& batch, std::string_view name, Value inside) {
  std::uint64_t wrong = 0;
  const auto plane = batch.plane(name);
  for (std::uint32_t row = 0; row < batch.size(); ++row) {
    if (plane.statuses()[row] != weir::PlaneStatus::ok) continue;
    const auto image = batch.image(row), other = plane.image(row);
    const auto channels = weir::channels_of(other.format);
    for (std::uint32_t y = 0; y < side; ++y)
      for (std::uint32_t x = 0; x < side; ++x) {
        const auto red = image.line_as<std::uint8_t>(y)[x * 3];
        const bool sure = red == 0 || red == 255;  // others are a mixture at an edge
        const auto value = other.line_as<Value>(y)[x * channels];
        wrong += sure && value != (red == 255 ? inside : 0) ? 1u : 0u;
      }
  }
  return wrong;
}

}  // namespace

int main() {
  std::uint64_t wrong = 0, rows = 0;
  auto voc =
      segmentation(made_source(PngKind::rgb, side, 12), made_source(PngKind::palette, side, 12, 3));
  for (weir::Batch& batch : voc.stream()) {
    rows += batch.size();
    wrong += wrong_pixels(batch, "mask", std::uint8_t{1});
    for (const auto target : targets(batch)) wrong += target < 0 || target > 1 ? 1u : 0u;
  }
  std::printf("segmentation: %llu of 12 images have a mask\n",
              static_cast<unsigned long long>(rows));
  bool right = rows == 4 && voc.size() == 4;

  // A map three times as wide: its middle columns are the points of the photograph's.
  auto pix2pix = pairs(made_source(PngKind::rgb, side, 8), made_source(PngKind::rgb, 3 * side, 8));
  for (weir::Batch& batch : pix2pix.stream())
    wrong += wrong_pixels(batch, "map", std::uint8_t{255});

  const auto folder = std::filesystem::temp_directory_path() /
                      ("weir_planes_" + std::to_string(std::random_device{}()));
  std::filesystem::create_directory(folder);
  const auto file = [&](const char* name, PngKind kind) {
    const auto bytes = made(kind, side, side);
    std::ofstream out(folder / name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    return (folder / name).string();
  };
  const auto mask = file("mask.png", PngKind::palette), depth = file("depth.png", PngKind::grey16);
  auto scene = views(made_source(PngKind::rgb, side, 3), {mask, "", mask}, {"", "", depth});
  for (weir::Batch& batch : scene.stream()) {
    wrong += wrong_pixels(batch, "mask", std::uint8_t{1});
    wrong += wrong_pixels(batch, "depth", std::uint16_t{3000});
  }
  std::filesystem::remove_all(folder);
  const auto planes = scene.report().planes;
  std::printf("views: %llu with a mask, %llu with depth\n",
              static_cast<unsigned long long>(planes[0].ok),
              static_cast<unsigned long long>(planes[1].ok));
  right &= planes[0].ok == 2 && planes[0].absent == 1 && planes[1].ok == 1 && planes[1].absent == 2;

  auto polygons = drawn(made_source(PngKind::rgb, side, 6), std::vector<Triangle>(6, triangle));
  for (weir::Batch& batch : polygons.stream())
    wrong += wrong_pixels(batch, "mask", std::uint8_t{1});
  std::printf("%llu pixels do not fit their image\n", static_cast<unsigned long long>(wrong));
  return right && wrong == 0 ? 0 : 1;
}
