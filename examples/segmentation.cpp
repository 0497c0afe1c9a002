// Masks of classes beside images: the share of each class, and a picture with the masks laid over.
//   segmentation [IMAGES MASKS] [--picture FILE.ppm]
// The masks are palette or grey PNGs with the stem of their image. 255 is "ignore".
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

#include "png.hpp"

namespace {

constexpr std::uint8_t ignore = 255;
constexpr std::uint32_t side = 96, made_width = 160, made_height = 120;

/// A disc, a rectangle and a triangle on grey. In the mask their edges are "ignore".
class Shapes {
 public:
  explicit Shapes(std::uint64_t seed) : random_(3, 0, seed) {
    for (auto& shape : shapes_)
      shape = {random_.uniform(30, made_width - 30), random_.uniform(30, made_height - 30),
               random_.uniform(14, 28)};
  }

  weir::MemorySample image(const std::string& name) {
    std::vector<std::uint8_t> values;
    for (int y = 0; y < int{made_height}; ++y)
      for (int x = 0; x < int{made_width}; ++x) {
        const auto noise = static_cast<int>(random_.below(25)) - 12;
        for (const auto value : class_colour(class_at(x, y)))
          values.push_back(static_cast<std::uint8_t>(value + noise));
      }
    return {name + ".png", write_png(PngKind::rgb, made_width, made_height, values)};
  }
  weir::MemorySample mask(const std::string& name) const {
    std::vector<std::uint8_t> values;
    for (int y = 0; y < int{made_height}; ++y)
      for (int x = 0; x < int{made_width}; ++x) {
        const auto found = class_at(x, y);
        bool edge = false;
        for (int v = -2; v <= 2; ++v)
          for (int u = -2; u <= 2; ++u) edge |= class_at(x + u, y + v) != found;
        values.push_back(edge ? ignore : found);
      }
    return {name + ".png", write_png(PngKind::palette, made_width, made_height, values)};
  }

 private:
  struct Shape {
    double x, y, size;
  };
  std::uint8_t class_at(int x, int y) const {
    const auto& [disc, box, roof] = shapes_;
    const auto across = [&](const Shape& shape) { return std::abs(x - shape.x); };
    const auto down = [&](const Shape& shape) { return std::abs(y - shape.y); };
    if (across(roof) < (y - roof.y + roof.size) / 2 && y < roof.y + roof.size) return 3;
    if (std::max(across(box), down(box)) < box.size) return 2;
    const double squares = across(disc) * across(disc) + down(disc) * down(disc);
    return squares < disc.size * disc.size ? 1 : 0;
  }
  weir::Random random_;
  std::array<Shape, 3> shapes_{};
};

weir::AnySource made_shapes(std::uint64_t count) {
  std::vector<weir::MemorySample> images, masks;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto name = "shapes " + std::to_string(i);
    Shapes shapes(i);
    images.push_back(shapes.image(name));
    masks.push_back(shapes.mask(name));
  }
  return weir::with_plane(weir::in_memory(std::move(images)), "mask",
                          weir::in_memory(std::move(masks)));
}

/// The class whose colour is nearest.
std::size_t class_of(const std::uint8_t* rgb) {
  const auto distance = [&](std::size_t found) {
    int sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const int difference = rgb[c] - class_colour(found)[c];
      sum += difference * difference;
    }
    return sum;
  };
  std::size_t best = 0;
  for (std::size_t found = 1; found < 4; ++found)
    if (distance(found) < distance(best)) best = found;
  return best;
}

/// Two lines of images: as they are, and below with their masks laid over.
class Picture {
 public:
  static constexpr std::uint32_t columns = 6;

  void add(const weir::ImageView& image, const weir::ImageView& mask) {
    if (used_ == columns) return;
    for (std::uint32_t y = 0; y < side; ++y)
      for (std::uint32_t x = 0; x < side; ++x) {
        const auto found = mask.line_as<std::uint8_t>(y)[x];
        for (std::uint32_t c = 0; c < 3; ++c) {
          const int value = image.line_as<std::uint8_t>(y)[x * 3 + c];
          const int over = (value + 2 * class_colour(found)[c]) / 3;
          at(y, x, c) = static_cast<std::uint8_t>(value);
          at(side + y, x, c) = static_cast<std::uint8_t>(found == 0 ? value / 2 : over);
        }
      }
    ++used_;
  }
  void write(const std::string& path) const {
    std::ofstream out(path, std::ios::binary);
    out << "P6\n" << columns * side << ' ' << 2 * side << "\n255\n";
    out.write(reinterpret_cast<const char*>(pixels_.data()),
              static_cast<std::streamsize>(pixels_.size()));
    if (!out.flush()) throw std::runtime_error("cannot write " + path);
  }

 private:
  std::uint8_t& at(std::uint32_t y, std::uint32_t x, std::uint32_t c) {
    return pixels_[(std::size_t{y} * columns * side + used_ * side + x) * 3 + c];
  }
  std::vector<std::uint8_t> pixels_ =
      std::vector<std::uint8_t>(std::size_t{columns} * side * 2 * side * 3);
  std::uint32_t used_ = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  std::vector<std::string> folders;
  std::string path;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--picture" && i + 1 < argc)
      path = argv[++i];
    else
      folders.emplace_back(argv[i]);
  }
  const bool made = folders.size() < 2;
  const auto images =
      made ? made_shapes(24)
           : weir::with_plane(weir::image_folder(folders[0]), "mask",
                              weir::image_folder(folders[1]), weir::MissingPlane::skip);
  weir::Options options{.shape = {side, side}, .fit = weir::Fit::random};
  options.planes = {{.name = "mask", .fill = {ignore}}};
  options.order = weir::Order::shuffle();
  options.batch = 8;
  weir::Loader loader(images, options);

  std::array<std::uint64_t, 256> pixels{};
  std::uint64_t others = 0;
  Picture picture;
  for (weir::Batch& batch : loader.stream({.epochs = 2}))
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const auto image = batch.image(row), mask = batch.plane("mask").image(row);
      picture.add(image, mask);
      for (std::uint32_t y = 0; y < side; ++y) {
        const auto classes = mask.line_as<std::uint8_t>(y);
        const auto colours = image.line_as<std::uint8_t>(y);
        for (std::uint32_t x = 0; x < side; ++x) {
          ++pixels[classes[x]];
          others += classes[x] != ignore && class_of(&colours[x * 3]) != classes[x] ? 1u : 0u;
        }
      }
    }
  std::uint64_t sum = 0;
  for (const auto count : pixels) sum += count;
  for (std::size_t found = 0; found < pixels.size(); ++found)
    if (pixels[found] > 0)
      std::printf("%s %zu: %.1f %% of all pixels\n", found == ignore ? "ignore" : "class", found,
                  100 * static_cast<double>(pixels[found]) / static_cast<double>(sum));
  if (!path.empty()) picture.write(path);
  if (!made) return sum > 0 ? 0 : 1;
  // A made shape has the colour of its class, so a mask of another window would not fit it.
  std::printf("%llu pixels have the colour of another class\n",
              static_cast<unsigned long long>(others));
  const bool all = pixels[0] > 0 && pixels[1] > 0 && pixels[2] > 0 && pixels[3] > 0;
  return all && others == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
