#include "encoders.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"

using weir::test::allocations;

namespace weir::codec::test {

TEST_CASE("decoding JPEG and PNG allocates nothing") {
  const Raster image = pattern(301, 203);
  const std::pair<const char*, Encoded> files[] = {
      {"4:2:0", encode_jpeg(image)},
      {"4:4:4", encode_jpeg(image, {.sampling = 1})},
      {"progressive", encode_jpeg(image, {.progressive = true})},
      {"arithmetic", encode_jpeg(image, {.arithmetic = true})},
      {"restart intervals", encode_jpeg(image, {.restart_interval = 1})},
      {"grey", encode_jpeg(pattern(301, 203, 1))},
      {"CMYK", encode_jpeg(pattern(301, 203, 4))},
      {"turned", with_exif(encode_jpeg(image), 6)},
      {"PNG", encode_png(301, 203, image.values, {})},
      {"interlaced PNG", encode_png(301, 203, image.values, {.interlaced = true})}};
  for (const auto filter : {Filter::bilinear, Filter::antialiased}) {
    Decoder decoder({.fit = {.out = {64, 64}, .fit = Fit::random}, .filter = filter});
    const Scratch scratch(2 << 20);
    const std::atomic<bool> cancelled{false};
    Pixels row(64 * 64 * 3);
    for (int epoch = 0; epoch < 3; ++epoch) {
      for (const auto& [name, encoded] : files) {
        const auto before = allocations();
        const auto info = decoder.probe(encoded);
        const bool decoded =
            info && plan_row(decoder, *info, 1).memory.scratch <= (2 << 20) &&
            decoder.decode(encoded, plan_row(decoder, *info, 1), scratch, cancelled, row);
        const auto made = allocations() - before;
        CAPTURE(name, filter);
        CHECK(decoded);
        if (epoch > 0) CHECK(made == 0);
      }
    }
  }
}

TEST_CASE("the counter of that test counts") {
  const auto before = allocations();
  const Pixels some(100);
  CHECK(allocations() > before);
}

}  // namespace weir::codec::test
