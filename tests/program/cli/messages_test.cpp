#include "program.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/skip.hpp"
#include "support/text.hpp"

using weir::test::contains;
using weir::test::TemporaryFolder;
using weir::test::weir_interrupted;
using Arguments = std::vector<std::string>;

namespace {

void refuses(const Arguments& arguments, const std::string& message, int exit_code = 2) {
  const auto outcome = weir::test::weir(arguments);
  CAPTURE(arguments, outcome.err, message);
  CHECK(outcome.exit_code == exit_code);
  CHECK(contains(outcome.err, message));
  for (const auto* tail : {": bad options", ": source failed", ": sample failed", "too small"})
    CHECK_FALSE(contains(outcome.err, tail));
}

const std::string data = "synthetic:64,8x8";

}  // namespace

TEST_CASE("a command or an option that is not there is told the one that was meant", "[message]") {
  refuses({"rnu", data}, "weir: there is no command 'rnu'; did you mean run?");
  refuses({"help", "swep"}, "there is no command 'swep'; did you mean sweep?");
  refuses({"run", data, "--bach", "3"}, "weir: weir run has no --bach; did you mean --batch?");
  refuses({"run", data, "--max-que-size=3"}, "did you mean --max-queue-size?");
  refuses({"verify", data, "--html", "x"}, "weir verify has no --html; ");
  refuses({"run", data, "extra"}, "weir run does not take 'extra'");
  refuses({"run", data, "--unheard-of-thing"}, "weir run has no --unheard-of-thing\n");
  refuses({"run", data, "--batch", "x"}, "`weir help run` lists the options.");
  refuses({}, "`weir help` lists the commands.");
}

TEST_CASE("an option is named as it was written, and sizes are in MiB", "[message]") {
  refuses(
      {"run", data, "--memory-budget", "64"},
      "weir: --memory-budget 64 (64 bytes; did you mean 64MiB?): this needs at least 17.2 MiB: ");
  refuses({"run", data, "--memory-budget=2MiB"},
          "weir: --memory-budget 2MiB: this needs at least 17.2 MiB: ");
  refuses({"plan", "--batch", "99999999"}, "weir: --batch 99999999: must be 1 to 1048576\n");
  refuses({"run", data, "--workers", "2000"}, "weir: --workers 2000: must be 0 to 1024\n");
  refuses(
      {"run", data, "--fit", "random", "--cache", "decoded:1MiB"},
      "weir: --cache decoded:1MiB: --fit random draws another crop each epoch; --cache encoded ");
  refuses({"run", data, "--size", "70000x8"}, "weir: --size 70000x8: must be 1 to 65500\n");
}

TEST_CASE("data that cannot be opened are told what data may be", "[message]") {
  const TemporaryFolder folder;
  const std::string image(folder.write("cat.jpg", "1"));
  refuses({"run", "/nope"}, "weir: /nope: no such folder, manifest or shard\n", 1);
  refuses({"run", image}, image + " is an image; give its folder, or a manifest");
  refuses({"run", "synthetic:100"},
          "weir: synthetic:100: write synthetic:COUNT,HxW, COUNT 1 or more\n");
  refuses({"run", "synthetic:"}, "weir: synthetic:: write synthetic:COUNT,HxW, COUNT 1 or more\n");
  refuses({"footprint", "/nope.json"}, "weir: cannot read /nope.json\n", 1);
}

TEST_CASE("what memory or threads do not suffice for is named, with the way out", "[message]") {
  if (weir::test::sanitized) return weir::test::skip("a sanitizer needs more address space");
  // In KiB of address space.
  const auto limited = [](const std::string& kib, const Arguments& arguments) {
    Arguments words{"/bin/sh",    "-c",  "ulimit -v " + kib + "; exec \"$0\" \"$@\"",
                    WEIR_PROGRAM, "run", data};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const auto outcome = weir::test::run_program(words);
    CAPTURE(arguments);
    CHECK(outcome.exit_code != 0);
    CHECK(outcome.exit_code <= 2);
    CHECK_FALSE(contains(outcome.err, "bad_alloc"));
    return outcome.err;
  };
  CHECK(contains(limited("4000000", {"--batch", "1048576"}),
                 "weir: a batch takes 147.02 GiB (--batch 1048576, --size 224x224), and there are "
                 "at least 2; 3.81 GiB are available; lower --batch, "));
  CHECK(contains(limited("4000000", {"--trace", "/dev/null", "--trace-events", "4294967296"}),
                 "--trace-events 4294967296: the events take "));
  CHECK(contains(limited("400000", {"--batch", "64", "--max-queue-size", "64", "--epochs", "100",
                                    "--consumer-ms", "20"}),
                 "out of memory: a batch takes 9.19 MiB (--batch 64, --size 224x224), all of them "
                 "597.25 MiB (--max-queue-size 64, --max-leases 1); lower these, or "));
  CHECK(contains(limited("2000000", {"--workers", "1000", "--size", "8x8"}),
                 "cannot start a thread: Resource temporarily unavailable; --workers 1000 and "));
}

TEST_CASE("a time has the unit of its option, and too many faults those that bound them",
          "[message]") {
  refuses({"run", data, "--watchdog", "nan"},
          "--watchdog: 'nan' is not between 0 and 86400 seconds");
  refuses({"run", data, "--consumer-ms", "-1"}, "'-1' is not between 0 and 86400000 milliseconds");
  const TemporaryFolder folder;
  for (const auto* name : {"a.jpg", "b.jpg"}) folder.write(name, "no image");
  const auto beyond = [&](const std::string& tolerate) {
    const auto outcome = weir::test::weir({"run", folder.string(), "--size", "8x8", "--on-fault",
                                           "blank", "--tolerate", tolerate, "--quiet"});
    CHECK(outcome.exit_code == 1);
    return outcome.err;
  };
  CHECK(beyond("1") == "weir: more faults than allowed by --tolerate 1\n");
  CHECK(beyond("50%") == "weir: more faults than allowed by --tolerate 0.5 (50 %)\n");
}

TEST_CASE("inputs that never end are refused", "[message]") {
  refuses({"run", data, "--consumer-trace", "/dev/zero"}, "cannot read /dev/zero: it has a NUL");
  const TemporaryFolder folder;
  refuses({"page", "/dev/zero", "--html", (folder.path() / "p.html").string()},
          "weir: cannot read /dev/zero: it has a NUL byte", 1);
}

TEST_CASE("an interrupted sweep says so and shows what is finished", "[message][sweep]") {
  const auto outcome =
      weir_interrupted({"sweep", "synthetic:100000,16x16", "--size", "16x16", "--epochs", "1000",
                        "--consumer-ms", "1", "--max-queue-size", "1,2", "--quiet"},
                       1500);
  CHECK(outcome.exit_code == 130);
  CHECK(outcome.out == "Interrupted: 0 of 2 depths are finished.\n");
}

TEST_CASE("an interrupted tune says so", "[message][tune]") {
  const auto outcome = weir_interrupted(
      {"tune", "synthetic:100000,16x16", "--size", "16x16", "--consumer-ms", "200", "--quiet"},
      700);
  CHECK(outcome.exit_code == 130);
  CHECK(outcome.out == "Interrupted: the measurement did not end, so there is no advice.\n");
}

TEST_CASE("a cache without a bound takes what an automatic budget leaves", "[message][cache]") {
  const std::string kind = GENERATE("encoded", "decoded");
  const auto outcome = weir::test::weir({"run", data, "--size", "8x8", "--cache", kind});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "cache of " + kind + " samples: "));
  CHECK(contains(outcome.out, "auto budget "));
  const auto json = weir::test::weir({"plan", "--cache", kind, "--json", "-"}).json();
  CHECK(json["plan"]["budget_bytes"].get<std::uint64_t>() < UINT64_MAX);
  CHECK(contains(json["plan"]["budget_how"].get<std::string>(), "50 % of the "));
  CHECK(json["cache"]["most_bytes"].get<std::uint64_t>() > 0);
}

TEST_CASE("files that are never images are skipped and counted", "[message]") {
  const TemporaryFolder folder;
  const auto images = (folder.path() / "images").string();
  folder.write("images/notes.txt", "no image");
  folder.write("images/Thumbs.db", "no image");
  folder.write("images/.hidden.jpg", "no image");
  folder.write("images/bad.jpg", "no image");
  const auto probed = weir::test::weir({"probe", images, "--json", "-"}).json();
  CHECK(probed["probe"]["files"] == 1);
  CHECK(probed["probe"]["skipped"] == 2);
  const auto all = weir::test::weir({"probe", images, "--ext", "*", "--json", "-"}).json();
  CHECK(all["probe"]["files"] == 3);
  const auto run = weir::test::weir({"run", images, "--size", "8x8"});
  CHECK(run.exit_code == 1);
  CHECK(contains(run.err, "three ways out: --ext "));
  CHECK(contains(run.err, "--exclude "));
  CHECK(contains(run.err, "--on-fault skip "));
  const auto swept =
      weir::test::weir({"sweep", images, "--size", "8x8", "--max-queue-size", "1,2", "--quiet"});
  CHECK(swept.exit_code == 1);
  CHECK(contains(swept.err, "three ways out: --ext "));
  CHECK(swept.err.find("three") == swept.err.rfind("three"));
  const auto skipped = weir::test::weir({"run", images, "--size", "8x8", "--on-fault", "blank"});
  CHECK_FALSE(contains(skipped.err, "three ways out"));
}
