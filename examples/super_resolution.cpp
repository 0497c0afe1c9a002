// Super-resolution: pairs of a small and a large image with the same random crops and flips, and a
// filter that learns to enlarge. `super_resolution [LOW HIGH]`: two folders with images in the same
// order. Those of HIGH have twice the height and width.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

namespace {

constexpr weir::ImageSize low{32, 32}, high{64, 64};

/// A decoder of your own for synthetic images stored as plain pixels. Any thread.
class PlainCodec final : public weir::ForeignCodec {
 public:
  struct Head {
    std::array<char, 4> magic{'P', 'L', 'A', 'N'};
    std::uint32_t width = 0, height = 0;
  };
  bool accepts(std::span<const std::byte> head) const noexcept override {
    return head.size() >= sizeof(Head) && std::memcmp(head.data(), "PLAN", 4) == 0;
  }
  Info info(std::span<const std::byte> encoded) const override {
    Head head;
    std::memcpy(&head, encoded.data(), sizeof head);
    if (encoded.size() - sizeof head != std::uint64_t{head.width} * head.height * 3)
      throw weir::SampleError(weir::FaultKind::truncated,
                              "the number of pixels is not that of the header");
    return {head.width, head.height, 0};
  }
  void decode(weir::PixelFormat, std::span<const std::byte> encoded, const Info&,
              std::span<std::uint8_t> rgb) const override {
    std::memcpy(rgb.data(), encoded.data() + sizeof(Head), rgb.size());
  }
};

/// Edges, slopes and waves at `scale`. 2x2 pixels of the large image show the same as one pixel of the small one.
weir::MemorySample made(std::uint64_t i, std::uint32_t scale) {
  const PlainCodec::Head head{.width = 60 * scale, .height = 48 * scale};
  std::vector<std::byte> bytes(sizeof head + std::size_t{head.width} * head.height * 3);
  std::memcpy(bytes.data(), &head, sizeof head);
  weir::Random random(1, 0, i);  // the same for both sizes
  const double angle = random.uniform(0, 3.14), waves = random.uniform(0.1, 0.35);
  const double edge = random.uniform(15, 45), tilt = random.uniform(-0.6, 0.6);
  // The large image has the values at its pixels. A pixel of the small image is the mean of four, as in a camera.
  const auto value = [&](double y, double x, int channel) {
    const double wave = 45 * std::sin(waves * (x * std::cos(angle) + y * std::sin(angle)));
    return 110 + 15 * channel + wave + (x + tilt * y > edge ? 50 : -50);
  };
  auto* out = bytes.data() + sizeof head;
  for (std::uint32_t y = 0; y < head.height; ++y)
    for (std::uint32_t x = 0; x < head.width; ++x)
      for (int channel = 0; channel < 3; ++channel, ++out) {
        double sum = 0;
        const auto parts = 2 / scale;
        for (std::uint32_t dy = 0; dy < parts; ++dy)
          for (std::uint32_t dx = 0; dx < parts; ++dx)
            sum += std::round(value((y * parts + dy) * 0.5, (x * parts + dx) * 0.5, channel));
        *out = static_cast<std::byte>(std::lround(sum / (parts * parts)));
      }
  return {"made " + std::to_string(i), std::move(bytes), 0};
}

weir::AnySource made_pairs(std::uint64_t count) {
  std::vector<weir::MemorySample> small, large;
  for (std::uint64_t i = 0; i < count; ++i) {
    small.push_back(made(i, 1));
    large.push_back(made(i, 2));
  }
  return weir::with_plane(weir::in_memory(std::move(small)), "large",
                          weir::in_memory(std::move(large)));
}

/// Each pixel of the large image as a weighted sum of 5x5 pixels of the small one, by least
/// squares. There is one set of weights for each of the four positions within a small pixel.
class Filter {
 public:
  static constexpr int reach = 2, taps = (2 * reach + 1) * (2 * reach + 1);
  using Row = std::array<double, taps>;

  /// Calls each(position, patch, target) for every value that has all its neighbours.
  template <class Each>
  static void for_each(const std::uint8_t* small, const std::uint8_t* large, Each each) {
    Row patch{};
    for (std::uint32_t y = reach; y + reach < low.height; ++y)
      for (std::uint32_t x = reach; x + reach < low.width; ++x)
        for (std::uint32_t c = 0; c < 3; ++c) {
          std::size_t tap = 0;
          for (std::uint32_t v = y - reach; v <= y + reach; ++v)
            for (std::uint32_t u = x - reach; u <= x + reach; ++u)
              patch[tap++] = small[(std::size_t{v} * low.width + u) * 3 + c];
          for (std::uint32_t place = 0; place < 4; ++place) {
            const auto row = 2 * y + place / 2, column = 2 * x + place % 2;
            each(place, patch, large[(std::size_t{row} * high.width + column) * 3 + c]);
          }
        }
  }

  void learn(const std::uint8_t* small, const std::uint8_t* large) {
    for_each(small, large, [&](std::uint32_t place, const Row& patch, double target) {
      for (std::size_t i = 0; i < taps; ++i) {
        wanted_[place][i] += patch[i] * target;
        if (place == 0)
          for (std::size_t k = 0; k <= i; ++k) seen_[i][k] += patch[i] * patch[k];
      }
    });
  }

  /// Gauss-Jordan on the accumulated equations. A small value is added to the diagonal, so that a
  /// solution always exists.
  void solve() {
    auto left = seen_;  // symmetric: one half is stored
    weights_ = wanted_;
    for (std::size_t i = 0; i < taps; ++i) {
      for (std::size_t k = 0; k < i; ++k) left[k][i] = left[i][k];
      left[i][i] = left[i][i] * (1 + 1e-6) + 1;
    }
    for (std::size_t i = 0; i < taps; ++i) {
      const double pivot = 1 / left[i][i];
      for (auto& value : left[i]) value *= pivot;
      for (auto& place : weights_) place[i] *= pivot;
      for (std::size_t k = 0; k < taps; ++k) {
        const double factor = left[k][i];
        if (k == i || factor == 0) continue;
        for (std::size_t j = 0; j < taps; ++j) left[k][j] -= factor * left[i][j];
        for (auto& place : weights_) place[k] -= factor * place[i];
      }
    }
  }

  double at(std::uint32_t place, const Row& patch) const {
    double sum = 0;
    for (std::size_t i = 0; i < taps; ++i) sum += weights_[place][i] * patch[i];
    return sum;
  }

 private:
  std::array<Row, taps> seen_{};
  std::array<Row, 4> wanted_{}, weights_{};
};

double decibels(double squares, double count) {
  return 10 * std::log10(255.0 * 255.0 * count / squares);
}

}  // namespace

int main(int argc, char** argv) try {
  const bool real = argc > 2;
  const auto pairs =
      real ? weir::with_plane(weir::image_folder(argv[1]), "large", weir::image_folder(argv[2]))
           : made_pairs(32);
  weir::Options options;
  options.shape = low;
  options.order = weir::Order::shuffle();
  options.batch = 16;
  options.codecs = {std::make_shared<PlainCodec>()};
  options.fit = weir::Fit::patch;
  options.flip.horizontal = 0.5;
  options.planes = {{.name = "large", .pixels = weir::PixelFormat::rgb8, .scale = {2, 1}}};
  weir::Loader loader(pairs, options);

  Filter filter;
  double nearest = 0, learnt = 0, count = 0, worst = 0;
  for (weir::Batch& batch : loader.stream({.epochs = 3})) {
    const auto large = batch.plane("large").pixels();  // a Converter accepts it, too
    if (batch.epoch() == 2 && count == 0) filter.solve();
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const auto* const small = batch.image(row).data;
      const auto* const target =
          large.pixels.data() + row * weir::image_bytes(high, weir::PixelFormat::rgb8);
      if (batch.epoch() < 2) {
        filter.learn(small, target);
        continue;
      }
      Filter::for_each(
          small, target,
          [&, mean = 0.0](std::uint32_t place, const Filter::Row& patch, double wanted) mutable {
            const double middle = patch[Filter::taps / 2];
            mean = (place == 0 ? 0 : mean) + wanted / 4;
            if (place == 3) worst = std::max(worst, std::abs(mean - middle));
            nearest += std::pow(middle - wanted, 2);
            learnt += std::pow(filter.at(place, patch) - wanted, 2);
            ++count;
          });
    }
  }
  std::printf("%llu pairs, crops of %ux%u and %ux%u\n",
              static_cast<unsigned long long>(loader.size()), low.height, low.width, high.height,
              high.width);
  std::printf("a pixel and the mean of its four differ by %.2f at most\n", worst);
  std::printf("pixels repeated: %.2f dB, learnt filter: %.2f dB\n", decibels(nearest, count),
              decibels(learnt, count));
  // In synthetic pairs each small pixel is the rounded mean of its four. This holds only if crops and flips agree.
  return learnt < nearest && (real || worst <= 0.5) ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
