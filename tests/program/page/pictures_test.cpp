#include <algorithm>

#include "example.hpp"
#include "support/text.hpp"

using namespace weir::test;
using weir::PixelFormat;
using weir::report::Picture;
using weir::report::PicturedRow;
using PageJson = nlohmann::json;

namespace {

/// Two by one pixels.
Picture picture(const char* name, PixelFormat pixels, std::vector<std::uint8_t> bytes) {
  return {.name = name,
          .status = "ok",
          .pixels = pixels,
          .shape = {10, 20},
          .size = {1, 2},
          .bytes = std::move(bytes)};
}

/// An image with every kind of plane, and a row whose mask is absent.
std::vector<PicturedRow> example_rows() {
  auto mask = picture("mask", PixelFormat::stored8, {0, 1});
  mask.fill = 255;
  const auto depth = picture("depth", PixelFormat::stored16, {0, 0, 0xd2, 4});
  auto absent = picture("mask", PixelFormat::stored8, {255, 255});
  absent.fill = 255;
  absent.status = "absent";
  const auto image = picture("image", PixelFormat::bgr8, {30, 20, 10, 200, 150, 100});
  return {{.name = "odd/</script><!-- <b>.jpg",
           .label = 3,
           .pictures = {image, mask, depth, picture("grey", PixelFormat::grey16, {7, 7, 9, 9}),
                        picture("glass", PixelFormat::rgba8, {1, 2, 3, 255, 0, 0, 0, 0})}},
          {.name = "b.jpg", .label = -1, .pictures = {image, absent}}};
}

using Colours = std::vector<int>;

Colours colours(const PageJson& found, std::size_t i) {
  return found["pictures"][i]["pixels"].get<Colours>();
}

}  // namespace

TEST_CASE("a page shows rows, their planes and a mask laid over", "[page][planes]") {
  const auto html = weir::report::page(example_run(), example_rows());
  CHECK_FALSE(contains(html, "odd/</script>"));
  const auto opened = open_page(html);
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(opened->found["errors"].dump() == "[]");
  CHECK(opened->console == "");
  const auto& pictures = opened->found["pictures"];
  REQUIRE(pictures.size() == 8);
  for (const auto& one : pictures) {
    CHECK(one["width"] == 2);
    CHECK(one["height"] == 1);
    CHECK(contains(one["label"].get<std::string>(), ".jpg: "));
  }
  const auto caption = [&](std::size_t i) { return pictures[i]["caption"].get<std::string>(); };
  CHECK(caption(0) == "image: bgr8, 10×20");
  CHECK(caption(2) == "depth: stored16, 10×20, black 1,234 to white 1,234");
  CHECK(caption(5) == "mask over image");
  CHECK(caption(7) == "mask: stored8, 10×20, absent, so fill");
  const Colours image{10, 20, 30, 255, 100, 150, 200, 255};
  CHECK(colours(opened->found, 0) == image);
  CHECK(colours(opened->found, 1) == Colours{24, 24, 24, 255, 230, 25, 75, 255});
  CHECK(colours(opened->found, 2) == Colours{0, 0, 0, 0, 0, 0, 0, 255});
  CHECK(colours(opened->found, 3) == Colours{7, 7, 7, 255, 9, 9, 9, 255});
  CHECK(colours(opened->found, 4) == Colours{1, 2, 3, 255, 0, 0, 0, 0});
  // Half the image, half the colour of 1. The background is the image.
  const auto over = colours(opened->found, 5);
  CHECK(Colours(over.begin(), over.begin() + 4) == Colours{10, 20, 30, 255});
  CHECK(std::abs(over[4] - 165) <= 1);
  CHECK(std::abs(over[5] - 87) <= 1);
  CHECK(std::abs(over[6] - 137) <= 1);
  CHECK(colours(opened->found, 7) == Colours{144, 144, 144, 255, 144, 144, 144, 255});
  const auto text = opened->found["text"].get<std::string>();
  CHECK(contains(text, "odd/</script><!-- <b>.jpg"));
  CHECK(contains(text, "label 3"));
  for (const auto* slip : {"undefined", "NaN", "[object"}) CHECK_FALSE(contains(text, slip));
}

TEST_CASE("a phone's width holds the pictures", "[page][planes]") {
  const auto opened = open_page(weir::report::page(example_run(), example_rows()), 390);
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(opened->found["content_width"] == opened->found["width"]);
  for (const auto& one : opened->found["pictures"]) CHECK(one["shown"] == 160);
}

TEST_CASE("the page of a run shows its rows, and its JSON does not", "[page][planes]") {
  const TemporaryFolder folder, images, masks;
  const std::string pixels(32 * 32, '\2');
  images.write("a.ppm", "P6\n32 32\n255\n" + pixels + pixels + pixels);
  masks.write("a.pgm", "P5\n32 32\n255\n" + pixels);
  const auto html = folder.path() / "page.html", json = folder.path() / "report.json";
  const auto outcome =
      weir::test::weir({"run", images.path(), "--size", "16x16", "--plane",
                        "mask=" + masks.path().string(), "--html", html, "--json", json});
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_FALSE(contains(read_file(json), "pictures"));
  const auto opened = open_page(read_file(html));
  if (!opened) return;
  REQUIRE_FALSE(opened->found.is_null());
  CHECK(opened->found["errors"].dump() == "[]");
  CHECK(opened->console == "");
  const auto& pictures = opened->found["pictures"];
  REQUIRE(pictures.size() == 3);
  CHECK(pictures[0]["width"] == 16);
  CHECK(pictures[0]["pixels"][0] == 2);
  CHECK(pictures[1]["label"] == "a.ppm: mask: stored8, 16×16");
  CHECK(pictures[1]["pixels"][1] == 180);
}
