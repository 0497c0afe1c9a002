// --config: what a file of options means, and its refusals.
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/config_file.hpp"
#include "cli/next_command.hpp"
#include "cli/settings.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace weir;
using namespace weir::cli;
using test::contains;

TEST_CASE("a file of options is read as TOML says", "[config]") {
  const auto values = [](const std::string& value) {
    return read_config("a = " + value).at("").at(0).values;
  };
  using Texts = std::vector<std::string>;
  CHECK(values("\"run #1.json\"  # why") == Texts{"run #1.json"});
  CHECK(values("\"a\\tb\"") == Texts{"a\tb"});
  CHECK(values("[1, # why\n# why\n2,\n]") == Texts{"1", "2"});
  CHECK(values("[0.1, 1_000, 0x10, true, 'c']") == Texts{"0.1", "1000", "16", "true", "c"});
  const auto sections = read_config("\xEF\xBB\xBF\"b\" = 1\r\n[run] # mine\r\nc = 2");
  CHECK(sections.at("").at(0).name == "b");
  CHECK(sections.at("run").at(0).name == "c");

  for (const auto* const text :
       {"a = [64", "a = 64]", "{", "%", "a = 1\na = 2", "a = \"64", "a = ", "a = {b = {}}",
        "a = [[1]]", "a = 1979-05-27", "a = \"\\u0000\"", "a = 9223372036854775808", "[run]\n[run]",
        "a = '\xff'", "[.]", "[{", "[#", "[\n", "a = [["}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(read_config(text), test::has_text("line "));
  }
}

TEST_CASE("a file of options gives what is not typed", "[config]") {
  const test::TemporaryFolder folder;
  const std::string file =
      folder.write("run.toml",
                   "batch = 64\nshuffle = true  # each epoch\nsize = \"32x48\"\n"
                   "plane = [\"mask,scale=1/2\", \"depth\"]\n"
                   "max-queue-size = 8\n[sweep]\nmax-queue-size = [1, 2]\n[run]\nworkers = 3\n");
  const auto run = parse({"run", "somewhere", "--config", file, "--batch", "16"});
  CHECK(run.data == "somewhere");
  CHECK(run.options.batch == 16);
  CHECK(run.options.shape == ImageSize{32, 48});
  CHECK(run.options.order.kind == Order::Kind::shuffle);
  CHECK(run.options.workers == 3);
  CHECK(run.options.planes.size() == 2);
  // What is typed also replaces what excludes it.
  const auto blocks = parse({"run", "somewhere", "--config", file, "--order", "blocks:4"});
  CHECK(blocks.options.order == Order::blocks(4));
  const auto sweep = parse({"sweep", "somewhere", "--config=" + file});
  CHECK(sweep.options.batch == 64);
  CHECK(sweep.options.workers == 0);
  // The command's section replaces what is said for all.
  CHECK(sweep.depths == std::vector<std::uint32_t>{1, 2});
  const auto keep = parse({"pack", "a", "b", "--keep", "--config",
                           folder.write("pack.toml", "short-side = 8\nquality = 80\n")});
  CHECK(keep.pack.keep);
  CHECK(next_command(run, Command::tune) ==
        "weir tune --max-queue-size=8 --plane=mask,scale=1/2 --plane=depth --shuffle=true "
        "--size=32x48 --workers=3 somewhere --batch 16");

  const auto refused = [&](const std::string& text) {
    try {
      parse({"run", "somewhere", "--config", folder.write("bad.toml", text)});
    } catch (const Refusal& refusal) {
      return refusal.text;
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(contains(refused("bach = 3"), "bad.toml: weir run has no --bach; did you mean --batch?"));
  CHECK(contains(refused("[queue]\nmax = 5"), "bad.toml: [queue] is no command"));
  CHECK(contains(refused("[run.queue]\nmax = 5"), "line 1: a value is a string"));
  CHECK(contains(refused("exclude = \"\""),
                 "bad.toml: --exclude needs a value; write --exclude FILE"));
  CHECK(contains(refused("ext = []"), "bad.toml: --ext needs a value"));
  CHECK(contains(refused("config = \"a\""), "a file of options cannot name another one"));
  CHECK(contains(refused("batch = 0"), "bad.toml: --batch 0: must be 1 to 1048576"));
  CHECK_THROWS_WITH(parse({"run", "somewhere", "--config", "/no/file"}),
                    test::has_text("--config /no/file: cannot read /no/file"));
}
