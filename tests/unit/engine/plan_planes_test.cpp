#include "engine/plan_planes.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "unit/codec/encoders.hpp"

using namespace weir;
using codec::test::encode_jpeg, codec::test::encode_png, codec::test::pattern;
using engine::PlaneRules, engine::plan_planes;

namespace {

struct Case {
  std::string name;
  bool transform, whole;
  std::vector<std::vector<std::byte>> planes{};
  std::string defect{};            ///< empty: a plan
  std::size_t images = 1;          ///< of the plan
  std::uint64_t whole_images = 0;  ///< bytes of them, each rounded up to 64
  std::uint64_t transform_bytes = 0;
};

}  // namespace

TEST_CASE("a row's decoding memory follows from its headers and rules", "[engine]") {
  const auto first = encode_jpeg(pattern(40, 30));
  const auto second = encode_png(20, 10, pattern(20, 10).values, {});
  const std::vector<std::byte> damaged(20, std::byte{'x'});
  const codec::DecoderOptions decoder{.fit = {.out = {16, 16}, .short_side = 18}};
  const auto up = [](std::uint64_t n) { return (n + 63) / 64 * 64; };

  const std::vector<Case> cases{
      {.name = "fitted", .transform = false, .whole = false},
      {.name = "fitted, then a transform",
       .transform = true,
       .whole = false,
       .transform_bytes = 1 << 20},
      {.name = "whole", .transform = true, .whole = true, .whole_images = up(40 * 30 * 3)},
      {.name = "a second image without a transform",
       .transform = false,
       .whole = false,
       .planes = {second},
       .defect = "no transform that takes them"},
      {.name = "fitted with a second image",
       .transform = true,
       .whole = false,
       .planes = {second},
       .images = 2,
       .whole_images = up(20 * 10 * 3)},
      {.name = "whole with two more",
       .transform = true,
       .whole = true,
       .planes = {second, second},
       .images = 3,
       .whole_images = up(40 * 30 * 3) + 2 * up(20 * 10 * 3)},
      {.name = "a damaged second image",
       .transform = true,
       .whole = false,
       .planes = {damaged},
       .defect = "image 2 of the sample: first bytes 78"},
      {.name = "a damaged third image",
       .transform = true,
       .whole = false,
       .planes = {second, damaged},
       .defect = "image 3 of the sample: first bytes 78"},
      {.name = "an absent one takes no memory",
       .transform = true,
       .whole = false,
       .planes = {{}, second},
       .images = 3,
       .whole_images = up(20 * 10 * 3)},
  };
  const auto info = codec::probe_image(first, decoder);
  REQUIRE(info);
  const auto window = codec::choose_window({30, 40}, decoder.fit, 0);
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const PlaneRules rules{decoder, c.transform, c.whole, c.transform_bytes};
    Encoded sample{.bytes = first};
    for (const auto& plane : c.planes) REQUIRE(sample.planes.add(plane));
    const auto plan = plan_planes(rules, sample, *info, window, decoder.fit.out);
    if (!c.defect.empty()) {
      REQUIRE_FALSE(plan);
      CHECK(plan.defect().reason.find(c.defect) != std::string::npos);
      continue;
    }
    REQUIRE(plan);
    CHECK(plan->images.size() == c.images);
    CHECK(plan->whole_images == c.whole_images);
    CHECK(plan->images[0].whole == c.whole);
    CHECK(plan->images[0].decode.out() == (c.whole ? ImageSize{30, 40} : ImageSize{16, 16}));
    CHECK(plan->need().scratch >= plan->whole_images + c.transform_bytes);
    // Images decode one after another in the same memory.
    std::uint64_t most = c.transform_bytes;
    for (const auto& image : plan->images) most = std::max(most, image.decode.memory.scratch);
    CHECK(plan->need().scratch == plan->whole_images + most);
  }
}
