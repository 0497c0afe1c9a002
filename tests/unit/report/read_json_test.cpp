#include "report/read_json.hpp"

#include "support/catch.hpp"

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

TEST_CASE("each event of what is read is told, in its order, until one is refused", "[json]") {
  std::vector<std::pair<int, Json::parse_event_t>> told;
  const auto tell = [&](int level, Json::parse_event_t event, Json&) {
    told.emplace_back(level, event);
    return true;
  };
  CHECK(read_json<Json>("{\"a\":[2]}", tell) == Json{{"a", {2}}});
  using Event = Json::parse_event_t;
  const std::vector<std::pair<int, Event>> expected{
      {0, Event::object_start}, {1, Event::key},       {1, Event::array_start},
      {2, Event::value},        {1, Event::array_end}, {0, Event::object_end}};
  CHECK(told == expected);
}
