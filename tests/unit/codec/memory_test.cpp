#include "encoders.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

/// Decodes in exactly the scratch memory of need(), which includes the decoder's arena. Any
/// allocation beyond it would be a Defect of kind memory.
void check_fits(const Encoded& encoded) {
  for (const Fit fit : {Fit::stretch, Fit::center}) {
    const DecoderOptions options{.fit = {.out = {48, 48}, .fit = fit, .short_side = 55}};
    const auto outcome = run(options, encoded);
    if (!outcome) FAIL(outcome.defect().reason);
  }
}

Raster with_channels(std::uint32_t width, std::uint32_t height, std::uint32_t channels) {
  Raster raster{width, height, channels, Pixels(std::size_t{width} * height * channels)};
  for (std::size_t i = 0; i < raster.values.size(); ++i) {
    raster.values[i] = static_cast<std::uint8_t>(i * 37 + i / 91);
  }
  return raster;
}

}  // namespace

TEST_CASE("libjpeg's memory fits the header's prediction for every kind") {
  for (const std::uint32_t channels : {1u, 3u, 4u}) {
    for (const int sampling : {1, 2, 4}) {
      for (const std::uint32_t side : {1u, 7u, 16u, 17u, 64u, 333u}) {
        if (sampling == 4 && channels > 1) continue;  // more blocks than an MCU allows
        const auto raster = with_channels(side, 2 * side + 1, channels);
        CAPTURE(channels, sampling, side);
        check_fits(encode_jpeg(raster, {.sampling = sampling}));
        check_fits(encode_jpeg(raster, {.sampling = sampling, .progressive = true}));
        check_fits(encode_jpeg(raster, {.sampling = sampling, .arithmetic = true}));
        if (channels == 4) check_fits(encode_jpeg(raster, {.ycck = true}));
        if (channels == 4) check_fits(encode_jpeg(raster, {.progressive = true, .ycck = true}));
        check_fits(
            encode_jpeg(raster, {.sampling = sampling, .progressive = true, .arithmetic = true}));
      }
    }
  }
}

TEST_CASE("libjpeg's memory fits the prediction if wide images shrink") {
  for (const JpegStyle sampling : {JpegStyle{.sampling = 1},
                                   {.sampling = 2},
                                   {.sampling = 2, .rows = 1},
                                   {.sampling = 1, .rows = 2},
                                   {.sampling = 2, .chroma_rows = 2}}) {
    const Encoded jpeg = encode_jpeg(pattern(6000, 160), sampling);
    for (const std::uint32_t side : {160u, 80u, 40u, 20u}) {
      const DecoderOptions options{.fit = {.out = {side, side}, .fit = Fit::stretch},
                                   .decode = Decode::fast};
      CAPTURE(sampling.sampling, sampling.rows, sampling.chroma_rows, side);
      const auto outcome = run(options, jpeg);
      if (!outcome) FAIL(outcome.defect().reason);
    }
  }
}

TEST_CASE("libpng's memory fits the header's prediction for every kind") {
  for (const bool interlaced : {false, true}) {
    for (const std::uint32_t width : {1u, 9u, 500u, 5000u}) {
      const std::uint32_t height = 40;
      for (const int colour : {0, 2, 4, 6}) {
        for (const int depth : {8, 16}) {
          const std::size_t samples = colour == 0 ? 1 : colour == 4 ? 2 : colour == 2 ? 3 : 4;
          const auto noise =
              with_channels(width * static_cast<std::uint32_t>(samples) * 2, height, 1).values;
          CAPTURE(interlaced, width, colour, depth);
          check_fits(encode_png(width, height, noise,
                                {.depth = depth, .colour = colour, .interlaced = interlaced}));
        }
      }
    }
  }
}

TEST_CASE("a progressive file is charged for all its coefficients") {
  const auto raster = pattern(640, 480);
  const Decoder decoder(DecoderOptions{.fit = {.out = {48, 48}, .fit = Fit::stretch}});
  const auto need = [&](bool progressive) {
    const auto encoded = encode_jpeg(raster, {.sampling = 2, .progressive = progressive});
    return plan_row(decoder, *decoder.probe(encoded), 0).memory.scratch;
  };
  // THREATS: 2 bytes a coefficient, 3 bytes a pixel at 4:2:0.
  const std::uint64_t coefficients = 640ull * 480 * 3;
  CHECK(need(true) - need(false) >= coefficients);
  CHECK(need(true) - need(false) <= coefficients + coefficients / 50);
}

}  // namespace weir::codec::test
