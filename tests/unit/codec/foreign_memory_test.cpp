#include <memory>

#include "encoders.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "tiff_bytes.hpp"
#include "weir/interop/opencv_codec.hpp"

using weir::test::allocated_bytes;

namespace weir::codec::test {
namespace {

struct Cost {
  std::string verdict;
  std::uint64_t allocated = 0, declared = 0;
};

/// The allocations of decoding with weir, without the output row.
Cost cost_of(const Pixels& bytes, PixelFormat pixels = PixelFormat::rgb8) {
  DecoderOptions options{
      .fit = {.out = {8, 8}, .fit = Fit::stretch}, .pixels = pixels, .codecs = {opencv_codec()}};
  Decoder decoder(options);
  const Encoded encoded = to_bytes(bytes);
  const std::atomic<bool> cancelled{false};
  Pixels row(image_bytes(options.fit.out, pixels));
  const auto before = allocated_bytes();
  const auto info = decoder.probe(encoded);
  if (!info) return {verdict(info), allocated_bytes() - before};
  const auto probed = allocated_bytes() - before;
  const auto plan = plan_row(decoder, *info, 0);
  const Scratch scratch(plan.memory.scratch);
  const auto reserved = allocated_bytes();
  const auto decoded = decoder.decode(encoded, plan, scratch, cancelled, row);
  return {decoded ? "ok" : decoded.defect().reason, probed + allocated_bytes() - reserved,
          plan_row(decoder, *info, 0).memory.reserved};
}

// For OpenCV's one-time allocations: tables, threads.
void open_opencv() { (void)cost_of(black_tiff({.width = 1000, .height = 900})); }

}  // namespace

TEST_CASE("OpenCV's memory for a TIFF stays within the header's charge", "[I3][I14]") {
  open_opencv();
  for (const bool tiled : {false, true}) {
    for (const std::uint32_t bits : {8u, 16u}) {
      for (const std::uint32_t samples : {1u, 3u, 4u}) {
        for (const std::uint32_t planes : {1u, 2u}) {
          const std::uint32_t tile = tiled ? 1024 : 0;
          const Cost cost = cost_of(black_tiff({1000, 900, tile, tile, bits, samples, planes}));
          CAPTURE(tiled, bits, samples, planes, cost.allocated, cost.declared);
          CHECK(cost.verdict == "ok");
          // OpenCV keeps one channel of 16 bits without RGBA.
          CHECK(cost.allocated > 1000 * 900 * (bits == 16 && samples == 1 ? 4 : 7));
          CHECK(cost.allocated <= cost.declared);
          CHECK(cost.declared <= cost.allocated * 2);
        }
      }
    }
    const std::uint32_t side = tiled ? 1024 : 0;
    for (const std::uint32_t bits : {8u, 16u}) {
      for (const std::uint32_t samples : {1u, 3u, 4u}) {
        const Cost deep =
            cost_of(black_tiff({1000, 900, side, side, bits, samples}), PixelFormat::rgb16);
        CAPTURE(tiled, bits, samples, deep.allocated, deep.declared);
        CHECK(deep.verdict == "ok");
        CHECK(deep.allocated > 1000 * 900 * (samples == 1 ? 1 : 3) * bits / 8);
        CHECK(deep.allocated <= deep.declared);
      }
    }
  }
}

TEST_CASE("a small TIFF in a large tile or turned is charged in full", "[I3][I14]") {
  open_opencv();
  const Cost tile = cost_of(black_tiff({8, 8, 4096, 4096}));
  CAPTURE(tile.allocated, tile.declared);
  CHECK(tile.verdict == "ok");
  CHECK(tile.allocated > 4096 * 4096 * 7);
  CHECK(tile.allocated <= tile.declared);

  for (std::uint32_t orientation = 1; orientation <= 8; ++orientation) {
    const Cost turned = cost_of(
        black_tiff({.width = 1000, .height = 1000, .samples = 1, .orientation = orientation}));
    CAPTURE(orientation, turned.allocated, turned.declared);
    CHECK(turned.verdict == "ok");
    CHECK(turned.allocated <= turned.declared);
  }
  // OpenCV gets a copy of the file, so that it does not turn it.
  const auto file = black_tiff({.width = 1000, .height = 900, .orientation = 6});
  const Cost upright = cost_of(black_tiff({.width = 1000, .height = 900})), turned = cost_of(file);
  CAPTURE(upright.allocated, turned.allocated, turned.declared);
  CHECK(turned.allocated >= upright.allocated + file.size());
  CHECK(turned.allocated <= turned.declared);
  CHECK(turned.declared == upright.declared + file.size());
}

TEST_CASE("a progressive JPEG in a TIFF is charged its coefficients", "[I3][I14]") {
  open_opencv();
  const auto in_tiff = [](std::uint32_t height, std::uint32_t sampling, std::uint32_t jpeg_height) {
    const Encoded jpeg = encode_jpeg(pattern(1000, jpeg_height),
                                     {.sampling = static_cast<int>(sampling), .progressive = true});
    Pixels data;
    for (const std::byte byte : jpeg) data.push_back(std::to_integer<std::uint8_t>(byte));
    return tiff_of({tiff_entry(256, 4, 1000), tiff_entry(257, 4, height), tiff_entry(258, 3, 8),
                    tiff_entry(259, 3, 7), tiff_entry(262, 3, 6), tiff_entry(273, 4, 134),
                    tiff_entry(277, 3, 3), tiff_entry(278, 4, height),
                    tiff_entry(279, 4, data.size()), tiff_entry(530, 3, sampling * 0x10001, 2)},
                   data);
  };
  for (const std::uint32_t sampling : {1u, 2u}) {
    for (const std::uint32_t height : {900u, 1u}) {
      const Cost cost = cost_of(in_tiff(height, sampling, 900));
      CAPTURE(sampling, height, cost.allocated, cost.declared);
      CHECK(cost.verdict == "ok");
      CHECK(cost.allocated > 1000 * 900 * 3);
      CHECK(cost.allocated <= cost.declared);
    }
  }
  const auto tall = cost_of(in_tiff(1, 1, 17'000));
  CHECK(tall.verdict == "limit: TIFF tile or strip larger than its image and than 4096x4096");
}

TEST_CASE("a header OpenCV would misread is refused before allocation", "[I3][I14]") {
  open_opencv();
  const auto hostile = [](std::uint64_t type) {
    return tiff_of({tiff_entry(256, type, 20000), tiff_entry(257, type, 20000),
                    tiff_entry(256, 4, 8), tiff_entry(257, 4, 8)});
  };
  const auto with = [&](const Pixels& first, const Pixels& second) {
    return tiff_of({tiff_entry(256, 4, 8), tiff_entry(257, 4, 8), first, second});
  };
  const auto netpbm = [](const std::string& header) { return text(header) + Pixels(500, '1'); };
  Pixels values = le(1000, 2);
  for (std::uint32_t i = 0; i < 1000; ++i) values = values + tiff_entry(40'000 + i, 1, 0, 12'000);
  const std::pair<const char*, Pixels> refused[] = {
      {"twice", hostile(4)},
      {"SLONG", hostile(9)},
      {"tile", with(tiff_entry(322, 4, 16384), tiff_entry(323, 4, 16384))},
      {"strip", with(tiff_entry(278, 4, 1 << 23), tiff_entry(277, 3, 1))},
      {"values", text("II") + le(42, 2) + le(8, 4) + values},
      {"P6", netpbm("P6\n#\r20000 20000\n255\n8 8\n255\n")},
      {"P5", netpbm("P5\n#\r20000 20000\n255\n8 8\n255\n")},
      {"P4", netpbm("P4\n#\r20000 20000\n8 8\n")},
      {"P6#", netpbm("P6\n8#20000\n8\n255\n")}};
  for (const auto& [name, bytes] : refused) {
    const Cost cost = cost_of(bytes);
    CAPTURE(name, cost.verdict);
    CHECK(cost.declared == 0);
    CHECK(cost.allocated < 4096);
  }
}

}  // namespace weir::codec::test
