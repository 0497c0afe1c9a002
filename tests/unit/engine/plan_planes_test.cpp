#include "engine/plan_planes.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "unit/codec/encoders.hpp"

using namespace weir;
using codec::test::encode_jpeg, codec::test::encode_png, codec::test::pattern;
using engine::PlaneRules, engine::plan_planes, engine::Part;

namespace {

struct Case {
  std::string name;
  bool whole_image, whole_plane;
  std::vector<std::vector<std::byte>> planes{};  ///< all asked for
  std::string defect{};                          ///< empty: a plan
  std::size_t bad = 0;                           ///< the plane that has it
  std::uint64_t whole_images = 0;                ///< bytes of them, each rounded up to 64
  std::uint64_t transform_bytes = 0;
  bool optional = false;
  std::vector<PlaneStatus> statuses{};
};

}  // namespace

TEST_CASE("a patch takes planes of the size of the image times scale", "[engine]") {
  const auto first = encode_jpeg(pattern(41, 30));
  const codec::DecoderOptions decoder{.fit = {.out = {16, 16}, .fit = Fit::patch, .grid = 2}};
  const auto info = codec::probe_image(first, decoder);
  REQUIRE(info);
  const auto window = codec::choose_window({30, 41}, decoder.fit, 0);
  const auto why = [&](ImageSize file, Ratio scale, PlaneMatch match = PlaneMatch::ratio) {
    const auto encoded =
        encode_png(file.width, file.height, pattern(file.width, file.height).values, {});
    Encoded sample{.bytes = first};
    REQUIRE(sample.planes.add(encoded));
    const engine::PlaneRule rule{
        .options = {.name = "p", .pixels = PixelFormat::rgb8, .scale = scale, .match = match},
        .decoder = decoder};
    const auto plan =
        plan_planes({.decoder = decoder, .planes = {rule}}, sample, *info, window, decoder.fit.out);
    return plan ? std::string() : plan.defect().reason;
  };
  for (const auto& file : {ImageSize{15, 20}, ImageSize{15, 21}}) CHECK(why(file, {1, 2}).empty());
  CHECK(why({60, 82}, {2, 1}).empty());
  CHECK(why({60, 83}, {2, 1}) ==
        "it is 60x83 beside an image of 30x41, and `fit` = patch with the plane's `scale` takes "
        "60x82; see `match` = stretch");
  CHECK_FALSE(why({30, 41}, {2, 1}).empty());
  CHECK(why({60, 83}, {2, 1}, PlaneMatch::stretch).empty());
}

TEST_CASE("a row's decoding memory follows from its headers and rules", "[engine]") {
  const auto first = encode_jpeg(pattern(40, 30));
  const auto second = encode_png(20, 15, pattern(20, 15).values, {});
  const auto turned = encode_png(15, 20, pattern(15, 20).values, {});
  const std::vector<std::byte> damaged(20, std::byte{'x'});
  const codec::DecoderOptions decoder{.fit = {.out = {16, 16}, .short_side = 18}};
  const auto up = [](std::uint64_t n) { return (n + 63) / 64 * 64; };
  const auto ok = PlaneStatus::ok, absent = PlaneStatus::absent, broken = PlaneStatus::broken;

  const std::vector<Case> cases{
      {.name = "fitted", .whole_image = false, .whole_plane = false},
      {.name = "fitted, then a transform",
       .whole_image = false,
       .whole_plane = false,
       .transform_bytes = 1 << 20},
      {.name = "whole", .whole_image = true, .whole_plane = false, .whole_images = up(40 * 30 * 3)},
      {.name = "a fitted plane needs no memory of its own",
       .whole_image = false,
       .whole_plane = false,
       .planes = {second},
       .statuses = {ok}},
      {.name = "whole with two whole planes",
       .whole_image = true,
       .whole_plane = true,
       .planes = {second, second},
       .whole_images = up(40 * 30 * 3) + 2 * up(20 * 15 * 3),
       .statuses = {ok, ok}},
      {.name = "a plane of another format",
       .whole_image = false,
       .whole_plane = false,
       .planes = {second, damaged},
       .defect = "first bytes 78",
       .bad = 1},
      {.name = "a plane that is turned",
       .whole_image = false,
       .whole_plane = false,
       .planes = {turned},
       .defect = "it is 20x15 beside an image of 30x40: one of them is turned"},
      {.name = "a required plane that is absent",
       .whole_image = false,
       .whole_plane = false,
       .planes = {{}},
       .defect = "the sample has none"},
      {.name = "optional planes take no memory where there is nothing",
       .whole_image = false,
       .whole_plane = true,
       .planes = {{}, second, damaged, turned},
       .whole_images = up(20 * 15 * 3),
       .optional = true,
       .statuses = {absent, ok, broken, broken}},
  };
  const auto info = codec::probe_image(first, decoder);
  REQUIRE(info);
  const auto window = codec::choose_window({30, 40}, decoder.fit, 0);
  for (const auto& c : cases) {
    CAPTURE(c.name);
    Encoded sample{.bytes = first};
    std::vector<engine::PlaneRule> planes;
    for (const auto& plane : c.planes) {
      const auto i = sample.planes.size();
      REQUIRE(sample.planes.add(plane));
      planes.push_back({.options = {.name = "plane" + std::to_string(i),
                                    .pixels = PixelFormat::rgb8,
                                    .optional = c.optional},
                        .decoder = decoder,
                        .offered = i,
                        .whole = c.whole_plane});
    }
    const PlaneRules rules{decoder, c.whole_image, c.transform_bytes, planes};
    const auto plan = plan_planes(rules, sample, *info, window, decoder.fit.out);
    if (!c.defect.empty()) {
      REQUIRE_FALSE(plan);
      CHECK(plan.defect().reason.starts_with(c.defect));
      CHECK(plan.defect().plane == c.bad);
      continue;
    }
    REQUIRE(plan);
    REQUIRE(plan->images.size() == 1 + c.planes.size());
    CHECK(plan->image_bytes == c.whole_images);
    CHECK(plan->images[0].whole == c.whole_image);
    CHECK(plan->images[0].decode.out() == (c.whole_image ? ImageSize{30, 40} : ImageSize{16, 16}));
    CHECK(plan->need().scratch >= plan->image_bytes + c.transform_bytes);
    // Images decode one after another in the same memory.
    std::uint64_t most = c.transform_bytes;
    for (const auto& image : plan->images) most = std::max(most, image.decode.memory.scratch);
    CHECK(plan->need().scratch == plan->image_bytes + most);
    for (std::size_t p = 0; p < c.statuses.size(); ++p)
      CHECK(plan->images[p + 1].status == c.statuses[p]);
    CHECK(plan->broken.size() == static_cast<std::size_t>(std::ranges::count(c.statuses, broken)));
  }
}

namespace {

/// One plane beside an image of 30 x 40 in a row of 16 x 16.
struct OnePlane {
  std::string name;
  PlaneOptions options{};
  std::span<const std::byte> file{};
  bool whole = false, unread = false;
  Window window{};
  Part part = Part::own;
  // What is planned.
  std::string defect{};
  ImageSize out{};  ///< 0 x 0: fill
  PixelOffset at{};
  PlaneStatus status = PlaneStatus::ok;
};

}  // namespace

TEST_CASE("the ratio of a plane is that of the longer sides", "[engine][planes]") {
  const codec::DecoderOptions decoder{.fit = {.out = {16, 16}, .fit = Fit::stretch}};
  const bool wide = GENERATE(false, true);
  const auto fits = [&](std::uint32_t width, std::uint32_t height) {
    const ImageSize file = wide ? ImageSize{width, height} : ImageSize{height, width};
    const ImageSize image = wide ? ImageSize{31, 408} : ImageSize{408, 31};
    const auto first = encode_jpeg(pattern(image.width, image.height));
    const auto plane =
        encode_png(file.width, file.height, pattern(file.width, file.height).values, {});
    Encoded sample{.bytes = first};
    REQUIRE(sample.planes.add(plane));
    const auto window = codec::choose_window(image, decoder.fit, 0);
    const engine::PlaneRule rule{.options = {.name = "p", .pixels = PixelFormat::rgb8},
                                 .decoder = decoder};
    return bool(plan_planes({.decoder = decoder, .planes = {rule}}, sample,
                            *codec::probe_image(first, decoder), window, decoder.fit.out));
  };
  CHECK(fits(16, 204));  // 15.5 rounded
  CHECK_FALSE(fits(20, 204));
}

TEST_CASE("a plane follows its options and the window of its image", "[engine][planes]") {
  const auto first = encode_jpeg(pattern(40, 30));
  const auto half = encode_png(20, 15, pattern(20, 15).values, {});
  const auto turned = encode_png(15, 20, pattern(15, 20).values, {});
  const codec::DecoderOptions decoder{.fit = {.out = {16, 16}, .fit = Fit::stretch}};
  const auto all = codec::choose_window({30, 40}, decoder.fit, 0);
  const auto window = [&](Rect source, Rect target) {
    auto made = all;
    made.source = source;
    made.target = target;
    return made;
  };
  const auto inside = window({0, 0, 40, 30}, {4, 2, 8, 10});
  const auto dot = window({0, 0, 40, 30}, {4, 4, 1, 1});
  const PlaneOptions plain{.name = "mask"}, lenient{.name = "mask", .optional = true},
      small{.name = "mask", .scale = {1, 2}}, tiny{.name = "mask", .scale = {1, 4}},
      large{.name = "mask", .scale = {3, 2}};

  const std::vector<OnePlane> cases{
      {.name = "made", .options = {.name = "m", .made = true}, .window = all},
      {.name = "made beside a file",
       .options = {.name = "m", .made = true},
       .file = half,
       .window = all},
      {.name = "half a scale", .options = small, .file = half, .window = all, .out = {8, 8}},
      {.name = "more than the image",
       .options = large,
       .file = half,
       .window = all,
       .out = {24, 24}},
      {.name = "whole, whatever its scale",
       .options = large,
       .file = half,
       .whole = true,
       .window = all,
       .out = {15, 20}},
      {.name = "stretched",
       .options = {.name = "mask", .match = PlaneMatch::stretch},
       .file = turned,
       .window = all,
       .out = {16, 16}},
      {.name = "unread", .options = plain, .unread = true, .window = all, .defect = "it is gone"},
      {.name = "unread, and optional",
       .options = lenient,
       .unread = true,
       .window = all,
       .status = PlaneStatus::broken},
      {.name = "in a part of the row",
       .options = small,
       .file = half,
       .window = inside,
       .out = {8, 8}},
      {.name = "of a partner",
       .options = plain,
       .file = half,
       .window = inside,
       .part = Part::partner,
       .out = {10, 8},
       .at = {4, 2}},
      {.name = "of a partner, at half a scale",
       .options = small,
       .file = half,
       .window = inside,
       .part = Part::partner,
       .out = {5, 4},
       .at = {2, 1}},
      {.name = "absent beside a partner",
       .options = lenient,
       .window = inside,
       .part = Part::partner,
       .status = PlaneStatus::absent},
      {.name = "no pixel of the plane is in the window",
       .options = tiny,
       .file = half,
       .window = dot},
      {.name = "no window",
       .options = plain,
       .file = half,
       .window = window({}, {}),
       .defect = "the image is 30x40, smaller than the patch of 16x16"},
      {.name = "a window beside the image",
       .options = plain,
       .file = half,
       .window = window({100, 0, 10, 10}, {0, 0, 16, 16}),
       .defect = "the window "},
  };
  const auto info = codec::probe_image(first, decoder);
  REQUIRE(info);
  const auto room = [](const engine::PlannedPlane& image) {
    return image.in_scratch ? (image.decode.out_bytes() + 63) / 64 * 64 : 0;
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    Encoded sample{.bytes = first};
    if (!c.file.empty()) REQUIRE(sample.planes.add(c.file));
    engine::UnreadPlanes unread;
    if (c.unread) unread.push_back({FaultKind::io, Stage::read, "it is gone", {}, 0});
    const PlaneRules rules{decoder, false, 0, {{c.options, decoder, 0, c.whole}}};
    const auto plan = plan_planes(rules, sample, *info, c.window, {16, 16}, unread, c.part);
    REQUIRE(static_cast<bool>(plan) == c.defect.empty());
    if (!plan) {
      CHECK(plan.defect().reason.starts_with(c.defect));
      CHECK(plan.defect().plane == (c.unread ? std::optional<std::size_t>(0) : std::nullopt));
      continue;
    }
    REQUIRE(plan->images.size() == 2);
    const auto &image = plan->images[0], &plane = plan->images[1];
    const bool partner = c.part == Part::partner;
    CHECK(image.in_scratch == partner);
    CHECK(image.decode.out() == (partner ? ImageSize{10, 8} : ImageSize{16, 16}));
    CHECK(image.at == (partner ? PixelOffset{4, 2} : PixelOffset{}));
    CHECK(plane.filled == (c.out.width == 0));
    CHECK(plane.decode.out() == c.out);
    CHECK(plane.at == c.at);
    CHECK(plane.status == c.status);
    CHECK(plane.in_scratch == (!plane.filled && (partner || c.whole)));
    CHECK(plan->image_bytes == room(image) + room(plane));
    if (plane.in_scratch) CHECK(plane.offset == room(image));
    REQUIRE(plan->broken.size() == (c.status == PlaneStatus::broken ? 1 : 0));
    if (!plan->broken.empty()) CHECK(plan->broken[0].second.reason == "it is gone");
  }
}
