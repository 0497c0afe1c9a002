#include <set>
#include <stdexcept>
#include <string>

#include "base/byte_text.hpp"
#include "base/text.hpp"
#include "options/option_row.hpp"
#include "support/catch.hpp"

using namespace weir;
using options::find, options::Row, options::rows;

namespace {

/// What Options::parse() says of the value; empty: nothing.
std::string refusal(const Row& row, const std::string& value) {
  try {
    static_cast<void>(Options::parse(std::string(row.name) + '=' + value));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string beginning(const Row& row, const std::string& value) {
  return concat("`", row.name, "` = ", value, ": must be ");
}

/// A member that is a whole number.
bool is_number(const Row& row) { return row.form == "N" || row.form.starts_with("BYTES"); }

}  // namespace

TEST_CASE("each member has one row with a sentence", "[options]") {
  std::set<std::string_view> names, members;
  for (const auto& row : rows()) {
    CAPTURE(row.name);
    CHECK(members.insert(row.name).second);
    CHECK((row.option.empty() || names.insert(row.option).second));
    CHECK(row.meaning.size() > 5);
    CHECK(row.meaning.ends_with('.'));
    CHECK(find(row.name) == &row);
  }
}

TEST_CASE("the default of each row is a value that it accepts", "[options]") {
  for (const auto& row : rows()) {
    CAPTURE(row.name);
    CHECK(row.bound(row, {}).empty());
    CHECK_FALSE(is_set(row, Options()));
    if (row.is_text) CHECK(refusal(row, row.text(row, {})).empty());
  }
}

TEST_CASE("each number is accepted at its bounds, not beyond", "[options]") {
  std::size_t numbers = 0;
  for (const auto& row : rows()) {
    if (!is_number(row)) continue;
    CAPTURE(row.name);
    ++numbers;
    const auto written = [&](std::uint64_t value) { return std::to_string(value); };
    CHECK(refusal(row, written(row.least)).empty());
    if (row.least > 0)
      CHECK(
          refusal(row, written(row.least - 1)).starts_with(beginning(row, written(row.least - 1))));
    if (row.most < UINT64_MAX - 1) {
      CHECK(refusal(row, written(row.most)).empty());
      CHECK(refusal(row, written(row.most + 1)).starts_with(beginning(row, written(row.most + 1))));
    }
    for (const auto* const wrong : {"", "x", "-1", "99999999999999999999999", "1 2", "0x10"})
      CHECK(refusal(row, wrong).starts_with(beginning(row, wrong)));
  }
  CHECK(numbers > 30);
}

TEST_CASE("each word of an enumeration is accepted, and no other", "[options]") {
  for (const auto& row : rows())
    for (const auto word : row.enumerators) {
      CAPTURE(row.name, word);
      CHECK(refusal(row, std::string(word)).empty());
      CHECK(refusal(row, std::string(word) + 's')
                .starts_with(beginning(row, std::string(word) + "s")));
    }
}

TEST_CASE("a value beyond its bound is refused by its row", "[options]") {
  const auto refusal_of = [](auto change) {
    Options options;
    change(options);
    try {
      options::check(options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal_of([](Options&) {}).empty());
  CHECK(refusal_of([](Options& o) { o.batch = 0; }) == "`batch` = 0: must be 1 to 1048576");
  CHECK(refusal_of([](Options& o) { o.ranks.world = 0; }) ==
        "`ranks.world` = 0: must be 1 to 4294967295");
  CHECK(refusal_of([](Options& o) {
          o.flip.vertical = -1;
        }).starts_with("`flip.vertical` = -1: must be 0 to 1"));
  CHECK(refusal_of([](Options& o) {
          o.order.kind = Order::Kind(50);
        }).starts_with("`order` = 50: must be sequential, shuffle"));
  CHECK(refusal_of([](Options& o) {
          o.random.area = {0.5, 0.2};
        }).starts_with("`random.area` = 0.5:0.2: must be A:B"));
  CHECK(refusal_of([](Options& o) { o.patch.padding = 4; }) ==
        "`patch.padding` = 4: is for `fit` = patch; leave it at its default");
  CHECK(refusal_of([](Options& o) {
          o.decode = Decode::none;
          o.fit = Fit::random;
        }) ==
        "`fit` = random: is for decoded images; `decode` = none delivers encoded samples; leave it "
        "at its default");
}

TEST_CASE("an error has option, value, bound and way out as fields", "[options]") {
  Options options;
  options.queue.max_leases = 0;
  try {
    options::check(options);
    FAIL("accepted");
  } catch (const Error& error) {
    REQUIRE(error.problem());
    CHECK(error.problem()->option == "queue.max_leases");
    CHECK(error.problem()->value == "0");
    CHECK(error.problem()->bound == "must be 1 to 65536");
    CHECK(error.problem()->way_out.empty());
  }
  options = {};
  options.patch.padding = 3;
  try {
    options::check(options);
    FAIL("accepted");
  } catch (const Error& error) {
    const auto copy = error;
    REQUIRE(copy.problem());
    CHECK(copy.problem()->bound == "is for `fit` = patch");
    CHECK(copy.problem()->way_out == "leave it at its default");
  }
  CHECK(Error(Errc::stopped, Stage::wait, "stopped").problem() == nullptr);
}
