#include "engine/row_plans.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace weir;

namespace {

struct Planned {
  std::uint64_t image_bytes, scratch, reserved, charged;
};

}  // namespace

TEST_CASE("samples of a row add images and share working memory", "[engine]") {
  const struct {
    std::vector<Planned> samples;
    std::uint64_t scratch, reserved;
    std::uint32_t largest;
  } cases[] = {
      {{{0, 100, 10, 5}}, 100, 10, 0},
      {{{64, 100, 10, 5}, {128, 50, 40, 5}, {0, 0, 0, 5}}, 292, 40, 1},
      {{{64, 100, 10, 5}, {64, 100, 10, 5}}, 228, 10, 0},  // the first of equals
      {{{0, 10, 0, 5}, {0, 0, 0, 1000}}, 10, 0, 1},
      {{{UINT64_MAX, 10, 0, 5}, {64, 0, UINT64_MAX, 5}}, UINT64_MAX, UINT64_MAX, 0},
  };
  for (const auto& c : cases) {
    engine::RowPlans plans(c.samples.size());
    std::vector<engine::RowSample> samples(c.samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto& [image_bytes, scratch, reserved, charged] = c.samples[i];
      engine::RowPlan plan;
      plan.image_bytes = image_bytes;
      plan.work = {scratch, reserved};
      plans.set(i, plan);
      samples[i].charged = charged;
    }
    CAPTURE(c.scratch);
    CHECK(plans.need().scratch == c.scratch);
    CHECK(plans.need().reserved == c.reserved);
    CHECK(plans.largest(samples) == c.largest);
  }
}

TEST_CASE("images lie in scratch one sample after the other", "[engine]") {
  engine::RowPlans plans(2);
  for (std::size_t i = 0; i < 2; ++i) {
    engine::RowPlan plan;
    plan.image_bytes = 128;
    plan.work.scratch = 72;
    for (const auto offset : {std::uint64_t{0}, std::uint64_t{64}}) {
      engine::PlannedPlane image{.in_scratch = true, .offset = offset};
      image.decode.placement.out = {3, 4};
      image.decode.placement.format = PixelFormat::grey16;
      plan.images.push_back(image);
    }
    plans.set(i, plan);
  }
  std::vector<std::byte> scratch(static_cast<std::size_t>(plans.need().scratch));
  CHECK(scratch.size() == 2 * 128 + 72);
  auto* expected = reinterpret_cast<std::uint8_t*>(scratch.data());
  for (std::size_t i = 0; i < 2; ++i) {
    for (const auto& planned : plans[i].images) {
      const auto image = engine::RowPlans::image(plans[i], planned, scratch);
      CHECK(image.data == expected);
      CHECK(image.shape == ImageSize{3, 4});
      CHECK(image.row_stride == 8);
      expected += 64;
    }
  }
  CHECK(plans.work_memory(scratch).data() == scratch.data() + 256);
  CHECK(plans.work_memory(scratch).size() == 72);
}
