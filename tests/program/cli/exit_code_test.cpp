#include <fcntl.h>
#include <sys/stat.h>

#include <csignal>

#include "base/file_descriptor.hpp"
#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using weir::test::bytes_in;
using weir::test::contains;
using weir::test::Running;
using weir::test::TemporaryFolder;
using weir::test::weir_interrupted;
using Arguments = std::vector<std::string>;

TEST_CASE("help and version go to stdout and exit 0", "[exit]") {
  const auto arguments =
      GENERATE(Arguments{"--help"}, Arguments{"--version"}, Arguments{"run", "--help"});
  const auto outcome = weir::test::weir(arguments);
  CHECK(outcome.exit_code == 0);
  CHECK_FALSE(outcome.out.empty());
  CHECK(outcome.err.empty());
}

TEST_CASE("a usage error exits 2 and writes only to stderr", "[exit]") {
  const auto arguments = GENERATE(
      Arguments{}, Arguments{"run"}, Arguments{"fly"}, Arguments{"run", "x", "--no-such-option"},
      Arguments{"run", "synthetic:x"}, Arguments{"run", "synthetic:8,8x8", "--batch", "0"},
      Arguments{"run", "synthetic:8,8x8", "--memory-budget", "1MiB"},
      Arguments{"run", "synthetic:8,8x8", "--memory-budget", "auto:0%"},
      Arguments{"run", "synthetic:8,8x8", "--slab-memory", "gold"},
      Arguments{"run", "synthetic:8,8x8", "--short-side", "10"});
  CAPTURE(arguments);
  const auto outcome = weir::test::weir(arguments);
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(contains(outcome.err, "weir: "));
}

TEST_CASE("a budget under the floor is told the floor and its parts", "[exit]") {
  const auto outcome = weir::test::weir({"run", "synthetic:8,8x8", "--memory-budget", "1MiB"});
  for (const auto* part : {"--memory-budget 1MiB", "at least", "index", "slabs"})
    CHECK(contains(outcome.err, part));
}

TEST_CASE("what is not built yet exits 2 and says so", "[exit]") {
  const auto outcome = weir::test::weir({"run", "s3://bucket/shard.tar"});
  CHECK(outcome.exit_code == 2);
  CHECK(contains(outcome.err, "not built yet"));
}

TEST_CASE("a file that is not there exits 1, whoever names it", "[exit]") {
  const std::string data = "synthetic:8,8x8", none = "/no/such/file";
  for (const auto& arguments :
       std::initializer_list<Arguments>{{"run", none},
                                        {"run", none + ".tar"},
                                        {"run", "cifar10:" + none},
                                        {"run", data, "--consumer-trace", none},
                                        {"run", data, "--exclude", none},
                                        {"run", data, "--resume", none},
                                        {"run", data, "--order", "weighted:" + none},
                                        {"run", data, "--plane", "mask=" + none},
                                        {"plan", "--model", none},
                                        {"plan", "--json", none + "/report.json"},
                                        {"footprint", none},
                                        {"page", none, "--html", "/dev/null"}}) {
    CAPTURE(arguments);
    const auto outcome = weir::test::weir(arguments);
    CHECK(outcome.exit_code == 1);
    CHECK(contains(outcome.err, none));
    CHECK_FALSE(contains(outcome.err, "weir help"));
  }
}

TEST_CASE("a bad sample gives exit 1, is skipped or is blank", "[exit]") {
  const TemporaryFolder folder;
  folder.write("bad.jpg", "no image");
  const auto made = weir::test::weir({"run", folder.path(), "--batch", "4", "--json", "-"});
  CHECK(made.exit_code == 1);
  CHECK(made.json()["error"].is_string());
  CHECK(made.json()["faults"][0]["path"] == "bad.jpg");
  CHECK(made.json()["faults"][0]["kind"] == "unsupported");
  CHECK(made.json()["samples"]["conserved"] == true);

  const auto blank = weir::test::weir({"run", folder.path(), "--on-fault", "blank", "--json", "-"});
  CHECK(blank.exit_code == 0);
  CHECK(blank.json()["samples"]["failed"] == 1);
  CHECK(blank.json()["fault_count"] == 1);
  CHECK(weir::test::weir({"run", folder.path(), "--on-fault", "blank"})
            .out.starts_with("0 samples (1 failed) in "));

  const auto probed = weir::test::weir({"probe", folder.path()});
  CHECK(probed.exit_code == 1);
  CHECK(contains(probed.out, "bad.jpg"));
}

TEST_CASE("an interrupt ends the run with its report and exit 130", "[exit]") {
  const TemporaryFolder folder;
  const auto outcome = weir_interrupted(
      {"run", "synthetic:100000,16x16", "--size", "16x16", "--epochs", "1000", "--consumer-ms", "1",
       "--samples", (folder.path() / "s").string(), "--json", "-"},
      [&](const Running&) { return bytes_in(folder.path()) > 0; });
  CHECK(outcome.exit_code == 130);
  REQUIRE_FALSE(outcome.json().is_discarded());
  CHECK(outcome.json()["interrupted"] == true);
  CHECK(outcome.json()["samples"]["conserved"] == true);
}

TEST_CASE("one signal ends a wait for the writer of a pipe", "[exit]") {
  const TemporaryFolder folder;
  const auto pipe = (folder.path() / "pipe").string();
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  weir::FileDescriptor writer;
  const auto reads = [&](const Running&) {  // a writer that does not wait needs a reader
    writer = weir::FileDescriptor(open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    return bool(writer);
  };
  CHECK(weir::test::weir_signalled({"footprint", pipe}, SIGTERM, reads).exit_code == 130);
}

TEST_CASE("a hangup that is not ignored ends a run as an interrupt does", "[exit]") {
  const TemporaryFolder folder, list;
  const auto json = (folder.path() / "r.json").string(), samples = (list.path() / "s").string();
  const Arguments words{
      "run", "synthetic:64,8x8", "--size", "8x8",           "--epochs", "1000000000", "--json",
      json,  "--samples",        samples,  "--consumer-ms", "1",        "--quiet"};
  std::uintmax_t before = 0;
  const auto delivers = [&](const Running&) { return bytes_in(list.path()) > before; };
  const auto hung_up = weir::test::weir_signalled(words, SIGHUP, delivers);
  CHECK(hung_up.exit_code == 130);
  const auto report = weir::test::Json::try_parse(weir::test::read_file(json));
  REQUIRE_FALSE(report.is_discarded());
  CHECK(report["interrupted"] == true);
  CHECK(report["samples"]["conserved"] == true);
  // As under nohup: the hangup has no effect, and the interrupt that follows ends the run.
  std::filesystem::remove(samples);
  Arguments nohup{"/bin/sh", "-c", "trap '' HUP; exec \"$0\" \"$@\"", WEIR_PROGRAM};
  nohup.insert(nohup.end(), words.begin(), words.end());
  auto program = Running::program(nohup);
  program.await(SIGTERM, delivers);
  REQUIRE(kill(program.pid(), SIGHUP) == 0);
  before = bytes_in(list.path()) + (32u << 10);  // dozens of batches
  program.await(SIGTERM, delivers);
  const auto outcome = program.end_by(SIGTERM);
  CHECK(outcome.exit_code == 130);
  CHECK(outcome.err.empty());
}

TEST_CASE("an automatic budget says how it was worked out", "[exit]") {
  const auto outcome = weir::test::weir(
      {"run", "synthetic:8,8x8", "--size", "8x8", "--memory-budget", "auto:10%", "--json", "-"});
  CHECK(outcome.exit_code == 0);
  const auto plan = outcome.json()["plan"];
  CHECK(plan["budget_bytes"].get<std::uint64_t>() < UINT64_MAX);
  CHECK(contains(plan["budget_how"].get<std::string>(), "10 % of the "));
  CHECK(contains(weir::test::weir({"plan", "--memory-budget", "auto"}).out, "auto budget "));
}

TEST_CASE("huge and locked slabs work or the report says why not", "[exit]") {
  const std::string kind = GENERATE("huge", "locked", "pinned");
  const auto outcome = weir::test::weir(
      {"run", "synthetic:8,8x8", "--size", "8x8", "--slab-memory", kind, "--json", "-"});
  CHECK(outcome.exit_code == 0);
  const auto note = outcome.json()["memory"]["slab_memory_note"];
  CHECK((note.is_null() || contains(note.get<std::string>(), "no huge pages") ||
         contains(note.get<std::string>(), "not locked")));
}
