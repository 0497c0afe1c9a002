#include "report/read_json.hpp"

#include "support/catch.hpp"
#include "support/cpu_time.hpp"

using weir::report::read_json;
using weir::test::has_text;
using Json = nlohmann::ordered_json;

namespace {

std::string nested(std::size_t levels, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) text += open;
  text += '1';
  for (std::size_t i = 0; i < levels; ++i) text += close;
  return text;
}

}  // namespace

TEST_CASE("JSON of others is read to a depth that can be written again", "[json]") {
  for (const std::string open : {"[", "{\"a\":"}) {
    const std::string close = open == "[" ? "]" : "}";
    const auto deepest = nested(100, open, close);
    CHECK(read_json<Json>(deepest).dump() == deepest);
    CHECK_THROWS_WITH(read_json<Json>(nested(101, open, close)),
                      has_text("nested more than 100 levels deep"));
    CHECK_THROWS_AS(read_json<Json>(nested(1'000'000, open, close)), std::invalid_argument);
  }
  // A closed level does not count.
  CHECK(read_json<Json>("[[1],[2],[{\"a\":[]}]]").size() == 3);
  CHECK_THROWS_AS(read_json<Json>("[1"), Json::exception);
  CHECK_THROWS_AS(read_json<Json>(std::string(1'000'000, '[')), std::invalid_argument);
}

TEST_CASE("a duplicate key in one object is refused if it matters", "[json]") {
  using weir::report::Keys;
  const std::string twice = R"({"a":[{"b":1},{"b":2}],"c":{"b":1,"b":2}})";
  CHECK(read_json<Json>(twice)["a"].size() == 2);
  CHECK_THROWS_WITH(read_json<Json>(twice, Keys::once), has_text("b is there twice in one object"));
  CHECK(read_json<Json>(R"({"a":{"b":1},"b":[{"a":1,"b":2}]})", Keys::once).size() == 2);
}

TEST_CASE("the time to read grows with the text alone", "[json]") {
  const auto cost = [](std::size_t elements) {
    std::string text = "[{}";
    for (std::size_t i = 1; i < elements; ++i) text += ",{}";
    text += ']';
    return weir::test::least_cpu_ms([&] { CHECK(read_json<Json>(text).size() == elements); });
  };
  // 8 times the elements. A callback that keeps them took 64 times as long.
  CHECK(cost(80'000) < 24 * cost(10'000));
}
