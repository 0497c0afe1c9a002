#include "engine/row_window.hpp"

#include "support/catch.hpp"

using namespace weir;

TEST_CASE("a window function learns of its row and draws for it alone", "[engine][windows]") {
  WindowInput seen;
  Options options;
  options.window.choose = [&seen](const WindowInput& input, Random& random) {
    seen = input;
    return Window{.source = {random.uniform(), 0, 10, 10}, .orientation = 6};
  };
  const codec::FitSpec fit{.out = {16, 24}};
  const WindowInput base{.image = {30, 40}, .index = 5, .epoch = 2, .position = 7};
  const auto draw = [&](const WindowInput& input, std::uint32_t attempt = 0) {
    const auto window = engine::row_window(options, fit, input, 0, attempt);
    REQUIRE(window);
    CHECK(window->image == ImageSize{30, 40});
    CHECK(window->orientation == 1);
    CHECK(window->target == Rect{0, 0, 24, 16});
    CHECK(seen.row == ImageSize{16, 24});
    return window->source.x;
  };
  const auto changed = [&](auto WindowInput::*member, auto value) {
    auto input = base;
    input.*member = value;
    return input;
  };
  const auto next_epoch = changed(&WindowInput::epoch, 3u),
             next_position = changed(&WindowInput::position, 8u),
             next_partner = changed(&WindowInput::partner, 1u),
             next_index = changed(&WindowInput::index, 6u);
  const auto once = draw(base);
  CHECK(draw(base) == once);
  CHECK(draw(next_index) == once);
  for (const auto& input : {next_epoch, next_position, next_partner}) CHECK(draw(input) != once);
  CHECK(draw(base, 1) != once);
  options.window.same_each_epoch = true;
  const auto same = draw(base);
  CHECK((seen.epoch == 0 && seen.position == 0 && seen.index == 5));
  for (const auto& input : {next_epoch, next_position}) CHECK(draw(input) == same);
  for (const auto& input : {next_index, next_partner}) CHECK(draw(input) != same);
}
