#include <cmath>

#include "encoders.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"

namespace weir::codec::test {
namespace {

double psnr(const Pixels& a, const Pixels& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    squares += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
  return squares == 0 ? 99 : 10 * std::log10(255.0 * 255.0 * double(a.size()) / squares);
}

/// Waves that are long compared with an output pixel. So the filter has little effect, and
/// positions have a large one. Grey, because stored chroma has reduced resolution and loses more.
Raster waves(std::uint32_t width, std::uint32_t height) {
  Raster raster{width, height, 3, Pixels(std::size_t{width} * height * 3)};
  for (std::size_t i = 0; i < raster.values.size(); ++i) {
    const double x = double(i / 3 % width) / width, y = double(i / 3 / width) / height;
    raster.values[i] = static_cast<std::uint8_t>(128 + 50 * std::sin(6.283 * 3 * x) +
                                                 50 * std::sin(6.283 * 3 * y));
  }
  return raster;
}

DecoderOptions small(Decode decode, Fit fit) {
  return {.fit = {.out = {40, 56}, .fit = fit, .short_side = 48}, .decode = decode};
}

}  // namespace

TEST_CASE("fast decoding puts everything where exact decoding does") {
  double lowest = 99;
  for (const auto& [width, height] :
       {std::pair{1001u, 743u}, {450u, 330u}, {230u, 170u}, {64u, 48u}}) {
    for (const JpegStyle style : {JpegStyle{.sampling = 1},
                                  {.sampling = 2},
                                  {.sampling = 2, .rows = 1},
                                  {.sampling = 1, .rows = 2},
                                  {.sampling = 2, .progressive = true},
                                  {.sampling = 4, .rows = 1}}) {
      const Encoded jpeg = encode_jpeg(waves(width, height), style);
      for (const std::uint8_t orientation : Pixels{1, 3, 6}) {
        const Encoded turned = with_exif(jpeg, orientation);
        for (const Fit fit : {Fit::center, Fit::stretch, Fit::letterbox, Fit::random}) {
          for (std::uint64_t draw = 0; draw < (fit == Fit::random ? 5u : 1u); ++draw) {
            const Outcome exact = run(small(Decode::exact, fit), turned, draw);
            const Outcome fast = run(small(Decode::fast, fit), turned, draw);
            REQUIRE(exact);
            REQUIRE(fast);
            CAPTURE(width, style.sampling, style.rows, style.progressive, int(orientation),
                    int(fit), draw);
            lowest = std::min(lowest, psnr(fast.row, exact.row));
          }
        }
      }
    }
  }
  // A shift by a quarter of an output pixel along one side would be 4 levels on average, 36 dB.
  // Along both sides it would be 33 dB.
  CHECK(lowest > 38);
}

TEST_CASE("fast decoding is exact if the image is under twice the size") {
  const Encoded jpeg = encode_jpeg(pattern(110, 79));
  CHECK(run(small(Decode::fast, Fit::stretch), jpeg).row ==
        run(small(Decode::exact, Fit::stretch), jpeg).row);
  const Encoded large = encode_jpeg(pattern(112, 80));
  CHECK(run(small(Decode::fast, Fit::stretch), large).row !=
        run(small(Decode::exact, Fit::stretch), large).row);
}

TEST_CASE("fast decoding of larger images needs less memory than exact") {
  const auto need = [](Decode decode, std::uint32_t scale) {
    const Decoder decoder(small(decode, Fit::stretch));
    return plan_row(decoder, *decoder.probe(encode_jpeg(pattern(56 * scale, 40 * scale))), 0)
        .memory.scratch;
  };
  for (const std::uint32_t scale : {2u, 4u, 8u, 16u})
    CHECK(need(Decode::fast, scale) < need(Decode::exact, scale));
}

TEST_CASE("fast decoding finds a cut at any byte") {
  const Encoded jpeg = encode_jpeg(pattern(224, 160));
  std::size_t silent = 0;
  for (std::size_t length = 0; length < jpeg.size(); length += 3)
    silent += run(small(Decode::fast, Fit::center), std::span(jpeg).first(length)) ? 1u : 0u;
  CHECK(silent == 0);
}

}  // namespace weir::codec::test
