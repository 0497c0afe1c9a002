#include <algorithm>
#include <memory>
#include <string>

#include "encoders.hpp"
#include "header_bytes.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

Encoded pnm_of(const Raster& image) {
  const auto header = std::string(image.channels == 1 ? "P5\n" : "P6\n") +
                      std::to_string(image.width) + ' ' + std::to_string(image.height) + "\n255\n";
  return to_bytes(text(header) + image.values);
}

/// RGB, as a decoder delivers it.
Raster rgb_of(const Raster& image) {
  Raster rgb{image.width, image.height};
  for (std::size_t i = 0; i < std::size_t{image.width} * image.height * 3; ++i)
    rgb.values.push_back(image.values[image.channels == 1 ? i / 3 : i]);
  return rgb;
}

std::string pnm_verdict(const Pixels& bytes, bool strict = true) {
  return verdict(read_pnm_header(Bytes(std::as_bytes(std::span(bytes))), {}, strict));
}

/// Reads nothing, and accepts what begins with P.
class ReadsAnyP final : public ForeignCodec {
 public:
  bool accepts(std::span<const std::byte> head) const noexcept override {
    return head[0] == std::byte{'P'};
  }
  Info info(std::span<const std::byte>) const override { return {2, 1, 0}; }
  void decode(PixelFormat, std::span<const std::byte>, const Info&,
              std::span<std::uint8_t> rgb) const override {
    std::ranges::fill(rgb, std::uint8_t{7});
  }
};

}  // namespace

TEST_CASE("binary PGM and PPM files give their own pixels in every fit", "[pnm]") {
  for (const std::uint32_t channels : {1u, 3u}) {
    const Raster image = pattern(37, 23, channels);
    const auto encoded = pnm_of(image);
    const Raster rgb = rgb_of(image);
    const auto whole = run_whole(encoded);
    REQUIRE(whole);
    CHECK(whole.row == rgb.values);
    CHECK(whole.info->channels == channels);

    // The same crop of a lossless PNG.
    for (const auto filter : {Filter::bilinear, Filter::antialiased}) {
      for (std::uint64_t draw = 0; draw < 8; ++draw) {
        const DecoderOptions options{.fit = {.out = {16, 20}, .fit = Fit::random},
                                     .filter = filter};
        const auto ours = run(options, encoded, draw, 0x5a);
        const auto png = run(options, encode_png(37, 23, rgb.values, {}), draw);
        REQUIRE(ours);
        CHECK(ours.row == png.row);
      }
    }
  }
}

TEST_CASE("a PNM header has three numbers and a blank before the pixels", "[pnm]") {
  const Pixels pixels(6, 1);
  CHECK(pnm_verdict(text("P6 1 2 255\n") + pixels) == "ok");
  CHECK(pnm_verdict(text("P6# by hand\n1\t2#\r255 ") + pixels) ==
        "corrupt: PNM header without a "
        "blank behind a number");
  CHECK(pnm_verdict(text("P6# by hand\n1\t#\r2 255 ") + pixels) == "ok");
  CHECK(pnm_verdict(text("P6 1 2 255\n") + Pixels(5)) == "truncated: cut inside the pixels");
  CHECK(pnm_verdict(text("P6 1 2 255\n") + Pixels(5), false) == "ok");
  CHECK(pnm_verdict(text("P6 1 2 255\n") + Pixels(2), false) == "truncated: cut inside the pixels");
  CHECK(pnm_verdict(text("P5 1 2 255\n") + Pixels(2)) == "ok");
  CHECK(pnm_verdict(text("P6 1 2 255")) == "truncated: cut inside the PNM header");
  CHECK(pnm_verdict(text("P6")) == "truncated: cut inside the PNM header");
  CHECK(pnm_verdict(text("P6 #")) == "truncated: cut inside the PNM header");
  CHECK(pnm_verdict(text("P6 0 2 255\n")) == "corrupt: width or height of 0");
  CHECK(pnm_verdict(text("P6 1 2 x\n")) == "corrupt: PNM header without its numbers");
  CHECK(pnm_verdict(text("P6 99999999999 2 255\n")) ==
        "corrupt: PNM header with a number too large");
  CHECK(pnm_verdict(text("P5 100000000 9 255\n")) ==
        "limit: 100000000x9 has a side above `max_side` 65500");
  CHECK(pnm_verdict(text("P6 1 2 65535\n") + Pixels(12)) == "ok");
  CHECK(pnm_verdict(text("P6 1 2 256\n") + Pixels(11)) == "truncated: cut inside the pixels");
  CHECK(pnm_verdict(text("P5 1 2 65536\n") + Pixels(12)) == "corrupt: PNM with values up to 65536");
}

TEST_CASE("a cut PNM has its lines and grey below in lenient mode", "[pnm]") {
  const Raster image = pattern(5, 4);
  auto encoded = pnm_of(image);
  encoded.resize(encoded.size() - 20);
  CHECK(run_whole(encoded).defect().offset == encoded.size());
  const auto outcome = run_whole(encoded, false);
  REQUIRE(outcome);
  CHECK(outcome.decoded->status == RowStatus::damaged);
  auto expected = image.values;
  std::fill(expected.begin() + 30, expected.end(), missing_grey);
  CHECK(outcome.row == expected);
}

TEST_CASE("a PNM beyond weir's own decoder goes to a suitable codec", "[pnm]") {
  const auto deep = to_bytes(text("P6 1 1 65535\n") + Pixels(6));
  CHECK(run_whole(deep).defect().kind == FaultKind::unsupported);
  const auto outcome = run_whole(deep, true, 0xa5, {std::make_shared<const ReadsAnyP>()});
  REQUIRE(outcome);
  CHECK(outcome.row == Pixels(6, 7));
  const auto own = run_whole(to_bytes(text("P6 1 1 255\n") + Pixels(3, 9)), true, 0xa5,
                             {std::make_shared<const ReadsAnyP>()});
  REQUIRE(own);
  CHECK(own.row == Pixels(3, 9));
}

}  // namespace weir::codec::test
