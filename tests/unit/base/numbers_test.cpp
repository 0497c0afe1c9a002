#include "base/numbers.hpp"

#include <cstdint>

#include "support/catch.hpp"

using namespace weir;

TEST_CASE("a number is read whole, or not at all", "[numbers]") {
  CHECK(parse_number<std::uint8_t>("255") == 255);
  CHECK(parse_number<std::int64_t>("-7") == -7);
  CHECK(parse_number<std::uint64_t>("ff", 16) == 255);
  CHECK(parse_number<double>("2.5e1") == 25.0);
  for (const auto* text : {"", " 1", "+1", "1 ", "1x", "256", "-1"})
    CHECK_FALSE(parse_number<std::uint8_t>(text));
}

TEST_CASE("a number that is taken leaves the rest of the text", "[numbers]") {
  std::string_view text("12  34,x");
  CHECK(take_number<int>(text) == 12);
  CHECK_FALSE(take_number<int>(text));
  CHECK(text == "  34,x");
  CHECK(take_number_after_blanks<int>(text) == 34);
  CHECK(text == ",x");
}
