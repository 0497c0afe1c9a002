#include "source/synthetic.hpp"

#include <algorithm>
#include <array>
#include <memory_resource>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "buffer/page_memory.hpp"
#include "source/jpeg_encoder.hpp"

namespace weir::source {
namespace {

using Colour = std::array<int, 3>;
enum class Pattern { bars, bands, diagonals, checks, rings };

struct Class {
  std::string_view name;
  Pattern pattern;
  Colour light, dark;
};
constexpr std::array<Class, 10> classes{
    {{"red_bars", Pattern::bars, {214, 60, 48}, {120, 30, 28}},
     {"orange_bands", Pattern::bands, {226, 140, 40}, {140, 70, 20}},
     {"yellow_diagonals", Pattern::diagonals, {222, 206, 60}, {130, 120, 30}},
     {"lime_checks", Pattern::checks, {150, 214, 60}, {70, 120, 30}},
     {"green_rings", Pattern::rings, {52, 176, 76}, {20, 92, 40}},
     {"teal_bars", Pattern::bars, {48, 190, 180}, {20, 96, 96}},
     {"blue_bands", Pattern::bands, {56, 100, 220}, {24, 44, 120}},
     {"violet_diagonals", Pattern::diagonals, {140, 80, 216}, {64, 36, 120}},
     {"magenta_checks", Pattern::checks, {216, 72, 190}, {112, 30, 100}},
     {"grey_rings", Pattern::rings, {190, 190, 190}, {70, 70, 70}}}};

// A triangle wave, 0 … 255 … 0, with a period of 2^32. Integers make the image equal on every
// machine.
constexpr int wave(std::uint32_t phase) noexcept {
  const int t = static_cast<int>(phase >> 23);
  return t < 256 ? t : 511 - t;
}

class Picture final : public Rows {
 public:
  Picture(const Class& kind, ImageSize shape, std::uint64_t key, const std::stop_token& stop)
      : kind_(kind), key_(mix64(key)), stop_(stop) {
    RandomStream random(key);
    const auto side = std::max(shape.height, shape.width);
    const auto turns = 4 + random.below(5);
    step_ = static_cast<std::uint32_t>((turns << 32) / side);
    ring_step_ = static_cast<std::uint32_t>(
        std::max<std::uint64_t>((turns << 34) / (std::uint64_t{side} * side), 1));
    phase_ = static_cast<std::uint32_t>(random.next());
    centre_x_ = static_cast<std::uint32_t>(random.below(shape.width));
    centre_y_ = static_cast<std::uint32_t>(random.below(shape.height));
    const int brightness = static_cast<int>(random.below(49)) - 24;
    for (std::size_t c = 0; c < 3; ++c) {
      inks_[c] = {kind.dark[c] + brightness, kind.light[c] - kind.dark[c]};
    }
  }

  // Tests and the demo spend much of their time here, sanitized tests most of it. So the loop calls
  // nothing that a compiler inlines only when it optimises.
  void paint(std::uint32_t y, std::span<std::uint8_t> row) const noexcept override {
    RandomStream random(key_ + y);
    std::uint64_t noise = 0;
    int fresh = 0;  // bytes of noise that are not used
    auto* out = row.data();
    auto* const end = out + row.size();
    for (std::uint32_t x = 0; out != end; ++x) {
      const int level = level_at(x, y);
      for (const auto& [dark, span] : inks_) {
        if (fresh == 0) {
          noise = random.next();
          fresh = sizeof noise;
        }
        --fresh;
        const int grain = (static_cast<int>(noise >> 56) - 128) * amplitude >> 7;
        noise <<= 8;
        const int value = dark + (span * level >> 8) + grain;
        *out++ = static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
      }
    }
  }
  bool stopped() const noexcept override { return stop_.stop_requested(); }

 private:
  int level_at(std::uint32_t x, std::uint32_t y) const noexcept {
    switch (kind_.pattern) {
      case Pattern::bars: return wave(x * step_ + phase_);
      case Pattern::bands: return wave(y * step_ + phase_);
      case Pattern::diagonals: return wave((x + y) * step_ + phase_);
      case Pattern::checks: return (wave(x * step_ + phase_) + wave(y * step_ + phase_)) / 2;
      case Pattern::rings: {
        const auto dx = x - centre_x_;
        const auto dy = y - centre_y_;
        return wave((dx * dx + dy * dy) * ring_step_ + phase_);
      }
    }
    return 0;
  }

  static constexpr int amplitude = 26;

  const Class& kind_;
  std::uint64_t key_;
  const std::stop_token& stop_;
  std::uint32_t step_ = 0, ring_step_ = 0, phase_ = 0, centre_x_ = 0, centre_y_ = 0;
  struct Ink {
    int dark, span;
  };
  std::array<Ink, 3> inks_{};  ///< of red, green and blue
};

class Synthetic {
 public:
  Synthetic(std::uint64_t count, ImageSize shape, std::uint64_t seed, std::stop_token stop)
      : count_(count), seed_(seed), shape_(shape), stop_(std::move(stop)) {
    if (shape.height < 1 || shape.height > largest) bad("height", shape.height, "1 to 65500");
    if (shape.width < 1 || shape.width > largest) bad("width", shape.width, "1 to 65500");
  }

  std::uint64_t size() const noexcept { return count_; }
  std::string name(std::uint64_t i) const {
    return concat(classes[i % classes.size()].name, "/", zero_padded(i, 6), ".jpg");
  }
  std::uint64_t index_bytes() const noexcept { return sizeof(*this); }
  std::optional<std::uint64_t> annotation_bytes() const noexcept { return 0; }
  std::string fingerprint() const {
    return concat("synthetic ", size(), ' ', shape_.height, ' ', shape_.width, ' ', seed_);
  }
  std::vector<std::string> class_names() const {
    std::vector<std::string> names;
    names.reserve(classes.size());
    for (const auto& kind : classes) names.emplace_back(kind.name);
    return names;
  }
  std::int64_t label(std::uint64_t i) const noexcept {
    return static_cast<std::int64_t>(i % classes.size());
  }
  std::optional<ImageSize> image_size(std::uint64_t i) const {
    RandomStream random(mix_key({seed_, i}));
    const auto shape = shape_of(random);
    return ImageSize{shape.height, shape.width};
  }
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    const auto label = i % classes.size();
    const auto key = mix_key({seed_, i});
    RandomStream random(key);
    const auto shape = shape_of(random);
    const Picture picture(classes[label], shape, random.next(), stop_);
    const auto most = most_jpeg_bytes(shape);
    if (most > most_unaccounted) {
      const auto charged = sink.try_take(most);
      if (!charged) return std::nullopt;
      return Encoded{encode_jpeg(picture, shape, PixelFormat::rgb8, quality, *charged),
                     static_cast<std::int64_t>(label)};
    }
    std::array<std::byte, 1 << 15> small;
    std::pmr::monotonic_buffer_resource memory(small.data(), small.size(), &buffer::page_memory());
    const std::span own(static_cast<std::byte*>(memory.allocate(most, 1)), most);
    const auto jpeg = encode_jpeg(picture, shape, PixelFormat::rgb8, quality, own);
    const auto bytes = sink.try_take(jpeg.size());
    if (!bytes) return std::nullopt;
    std::copy(jpeg.begin(), jpeg.end(), bytes->begin());
    return Encoded{*bytes, static_cast<std::int64_t>(label)};
  }

 private:
  static constexpr std::uint32_t largest = 65'500;
  static constexpr int quality = 90;
  /// A JPEG's size is known when it is made. Up to this size of the largest possible one it is made
  /// in memory that is not charged: pages, which the kernel gets back at once. Larger ones are
  /// charged by that size.
  static constexpr std::size_t most_unaccounted = std::size_t{16} << 20;

  [[noreturn]] static void bad(const char* field, std::uint32_t value, const char* bound) {
    refuse(Stage::read, "synthetic encoded_shape.", field, " is ", value, ", must be ", bound);
  }
  // A random side within an eighth of `side`.
  static std::uint32_t near(std::uint32_t side, RandomStream& random) noexcept {
    const auto varied = side - side / 8 + static_cast<std::uint32_t>(random.below(side / 4 + 1));
    return std::min(varied, largest);
  }
  ImageSize shape_of(RandomStream& random) const noexcept {
    return {near(shape_.height, random), near(shape_.width, random)};
  }

  std::uint64_t count_, seed_;
  ImageSize shape_;
  std::stop_token stop_;
};
static_assert(Source<Synthetic>);

}  // namespace

AnySource synthetic(std::uint64_t count, ImageSize encoded_shape, std::uint64_t seed,
                    std::stop_token stop) {
  return Synthetic(count, encoded_shape, seed, std::move(stop));
}

}  // namespace weir::source

weir::AnySource weir::synthetic(std::uint64_t count, ImageSize encoded_shape, std::uint64_t seed) {
  return source::synthetic(count, encoded_shape, seed, {});
}
