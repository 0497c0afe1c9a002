#include "observe/pictures.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "support/catch.hpp"
#include "weir/loader.hpp"
#include "weir/source.hpp"

using namespace weir;
using observe::pictures_of;
using report::PicturedRow;

namespace {

MemorySample file(const std::string& name, const std::string& text) {
  MemorySample sample{name, {}, 5};
  std::ranges::transform(text, std::back_inserter(sample.bytes),
                         [](char c) { return std::byte(c); });
  return sample;
}

/// A PPM or PGM. `pixels` are repeated.
std::string pnm(const std::string& kind, ImageSize size, const std::string& most,
                const std::string& pixels) {
  auto text = kind + '\n' + std::to_string(size.width) + ' ' + std::to_string(size.height) + '\n' +
              most + '\n';
  const auto header = text.size(), bytes = std::size_t{size.width} * size.height *
                                           (kind == "P6" ? 3 : 1) * (most == "255" ? 1 : 2);
  while (text.size() < header + bytes) text += pixels;
  return text;
}

/// The pictures of the first batch.
std::vector<PicturedRow> pictured(const AnySource& source, Options options) {
  options.workers = 1;
  Loader loader(source, options);
  auto stream = loader.stream();
  const auto batch = stream.next();
  REQUIRE(batch);
  return pictures_of(*batch, source, options);
}

constexpr ImageSize small{2, 4};
const std::string red("\x09\x05\x01", 3);

}  // namespace

TEST_CASE("pictures show images and planes as they were delivered", "[pictures][planes]") {
  const auto images = in_memory({file("a", pnm("P6", small, "255", red)),
                                 file("b\x1b", pnm("P6", small, "255", red)),
                                 file("c", pnm("P6", small, "255", red))});
  const auto masks = in_memory({file("a", pnm("P5", small, "255", "\1\2")), file("b\x1b", "x")});
  // 0, 256, 512 and 768, big-endian
  const auto depths = in_memory({file("a", pnm("P5", small, "65535", {"\0\0\1\0\2\0\3\0", 8}))});
  const auto rows =
      pictured(with_plane(with_plane(images, "mask", masks, MissingPlane::absent), "depth", depths,
                          MissingPlane::absent),
               {.shape = small,
                .fit = Fit::stretch,
                .pixels = PixelFormat::bgr8,
                .planes = {{.name = "mask", .fill = {255}, .optional = true},
                           {.name = "depth", .pixels = PixelFormat::stored16, .optional = true}},
                .batch = 3});
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].name == "a");
  CHECK(rows[0].label == 5);
  CHECK(rows[1].name == "b\\x1b");
  REQUIRE(rows[0].pictures.size() == 3);
  const auto& [image, mask, depth] =
      std::tie(rows[0].pictures[0], rows[0].pictures[1], rows[0].pictures[2]);
  CHECK(image.name == "image");
  CHECK(image.status == "ok");
  CHECK(image.pixels == PixelFormat::bgr8);
  CHECK(image.shape == small);
  CHECK(image.size == small);
  REQUIRE(image.bytes.size() == 24);
  CHECK(image.bytes[0] == 1);
  CHECK(image.bytes[2] == 9);
  CHECK(mask.fill == 255);
  CHECK(mask.bytes == std::vector<std::uint8_t>{1, 2, 1, 2, 1, 2, 1, 2});
  REQUIRE(depth.bytes.size() == 16);
  std::uint16_t last = 0;
  std::memcpy(&last, depth.bytes.data() + 14, 2);
  CHECK(last == 768);
  CHECK(rows[1].pictures[1].status == "broken");
  CHECK(rows[2].pictures[1].status == "absent");
  CHECK(rows[2].pictures[1].bytes == std::vector<std::uint8_t>(8, 255));
  CHECK(rows[2].pictures[2].bytes == std::vector<std::uint8_t>(16, 0));
}

TEST_CASE("pictures of four rows are small together", "[pictures]") {
  const auto wide = GENERATE(false, true);
  Options options{.shape = {200, wide ? 400u : 200u}, .batch = 6};
  for (const auto* name : {"a", "b", "c", "d", "e", "f", "g"})
    options.planes.push_back({.name = name, .pixels = PixelFormat::rgb16, .made = true});
  options.transform = {.apply = [](DecodedSample&) {}, .input = TransformInput::fitted};
  const auto planes = GENERATE(0u, 1u, 7u);
  options.planes.resize(planes);
  const auto rows = pictured(synthetic(8, {.height = 60, .width = 60}), options);
  REQUIRE(rows.size() == 4);
  std::size_t bytes = 0;
  for (const auto& row : rows) {
    REQUIRE(row.pictures.size() == 1 + planes);
    for (const auto& picture : row.pictures) {
      CHECK(std::max(picture.size.height, picture.size.width) <= 160);
      CHECK(picture.size.height == picture.size.width / (wide ? 2 : 1));
      CHECK(picture.bytes.size() == image_bytes(picture.size, picture.pixels));
      bytes += picture.bytes.size();
    }
  }
  CHECK(bytes <= 144 << 10);
  CHECK(bytes > 100 << 10);
}

TEST_CASE("a single row has pictures of 160 pixels", "[pictures]") {
  const auto rows =
      pictured(synthetic(1, {.height = 60, .width = 60}), {.shape = {300, 600}, .batch = 1});
  CHECK(rows.at(0).pictures.at(0).size == ImageSize{80, 160});
}

TEST_CASE("what has no pixels has no pictures", "[pictures]") {
  CHECK(pictured(synthetic(2, {.height = 20, .width = 20}), {.decode = Decode::none, .batch = 2})
            .empty());
  const auto broken = in_memory({file("a", "x"), file("b", pnm("P6", small, "255", red))});
  const auto rows = pictured(broken, {.batch = 2,
                                      .faults = {.policy = OnFault::blank},
                                      .sizes = {.mode = GENERATE(Sizes::padded, Sizes::ragged)}});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].name == "b");
  CHECK(rows[0].pictures.at(0).size == small);
}
