#include <filesystem>
#include <string>
#include <vector>

#include "program/cli/program.hpp"
#include "proof/configurations/images.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir::test;
using Arguments = std::vector<std::string>;

namespace {

/// Runs the program with a failure of its `nth` allocation, and with `sticky` of all after it.
Outcome starved(const Arguments& arguments, std::uint64_t nth, bool sticky,
                const std::string& count) {
  Arguments words{"/usr/bin/timeout",
                  "60",
                  "/usr/bin/env",
                  "LD_PRELOAD=" WEIR_FAILING_LIBRARY,
                  "WEIR_FAIL_NTH=" + std::to_string(nth),
                  "WEIR_FAIL_STEP=" + std::to_string(sticky ? 1 : 0),
                  "WEIR_FAIL_COUNT=" + count,
                  WEIR_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program(words);
}

}  // namespace

TEST_CASE("a program without memory says so and exits", "[R1]") {
  const TemporaryFolder folder;
  const auto out = [&](const char* name) { return (folder.path() / name).string(); };
  const auto data = folder.path() / "data";
  std::filesystem::create_directories(data);
  for (const auto* name : {"a", "b", "c"}) {
    const auto jpeg = make_jpeg(30, 20, *name == 'b');
    folder.write(std::string("data/") + name,
                 {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()});
  }
  const std::string command = GENERATE("run", "probe", "verify", "plan");
  Arguments arguments{command};
  if (command != "plan") arguments.push_back(data);
  const auto add = [&](const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
  };
  if (command == "run") add({"--html", out("h"), "--trace", out("t"), "--digest"});
  add({"--json", command == "probe" ? "-" : out("j")});
  add({"--size", "8x8", "--batch", "2", "--workers", "1"});

  const auto healthy = starved(arguments, 0, false, out("count"));
  CAPTURE(arguments, healthy.err);
  REQUIRE(healthy.exit_code == 0);
  const auto calls = std::stoull(read_file(out("count")));
  REQUIRE(calls > 100);
  const std::uint64_t points = WEIR_TEST_LONG ? 250 : 6;
  const bool sticky = GENERATE(false, true);
  for (std::uint64_t i = 0; i < points; ++i) {
    const auto nth = 1 + i * calls / points;
    const auto outcome = starved(arguments, nth, sticky, out("count"));
    CAPTURE(nth, sticky, outcome.exit_code, outcome.err);
    const bool ended = outcome.exit_code >= 0 && outcome.exit_code <= 2;
    REQUIRE(ended);
    if (outcome.exit_code != 0) REQUIRE(contains(outcome.err, "weir: "));
  }
}
