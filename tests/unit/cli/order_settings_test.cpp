// --order: what it reads, and its refusals.
#include <stdexcept>
#include <string>

#include "cli/settings.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace weir;
using namespace weir::cli;
using test::contains;

TEST_CASE("orders are read, or refused by name", "[settings]") {
  const test::TemporaryFolder folder;
  const auto file = [&](std::string_view text) {
    folder.write("weights", text);
    return "weighted:" + (folder.path() / "weights").string();
  };
  const auto order = [](const std::string& text) {
    return parse({"run", "x", "--order", text}).options.order;
  };
  CHECK(order("blocks:8:2") == Order::blocks(8, 2));
  CHECK(order("every:8:3") == Order::every(8, 3));
  CHECK(order("with_replacement:50") == Order::with_replacement(50));
  CHECK(order(file("1\n2.5\r\n0\n1e3")) == Order::weighted({1, 2.5, 0, 1000}));
  const auto why = [](const std::string& text) {
    try {
      parse({"run", "x", "--order", text});
    } catch (const Refusal& refused) {
      return refused.text;
    }
    return std::string("accepted");
  };
  CHECK(contains(why("every"), "every:N[:OFFSET]"));
  // Not an error of the command line.
  CHECK_THROWS_AS(why("weighted:/no/such/file"), std::runtime_error);
  CHECK_THROWS_AS(why("weighted:/dev/zero"), std::runtime_error);
  CHECK(contains(why(file("1\n\n2kg\n")), "line 3: '2kg' is no number"));
  CHECK(contains(why(file("1\ncat\t2\n")), "line 2: 'cat"));
  CHECK(contains(why(file("1\n-1\n")), "weights[1] = -1"));
  CHECK(contains(why(file("0\n0\n")), "all 2 weights are 0"));
  CHECK(contains(why(file("")), "weights is empty"));
}
