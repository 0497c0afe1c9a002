#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "program.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"
#include "support/text.hpp"

using weir::test::contains;
using weir::test::run_program;
using weir::test::TemporaryFolder;
using Arguments = std::vector<std::string>;

namespace {

const Arguments run{"run", "synthetic:64,8x8", "--size", "8x8", "--quiet"};

Arguments with(Arguments words, const Arguments& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Runs the program with a shell's redirection.
weir::test::Outcome redirected(const Arguments& arguments, const std::string& to) {
  Arguments words{"/bin/sh", "-c", "exec \"$0\" \"$@\" " + to, WEIR_PROGRAM};
  return run_program(with(words, arguments));
}

void check_told(const weir::test::Outcome& outcome, const std::string& file) {
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 1);
  CHECK(contains(outcome.err, "weir: cannot write " + file));
}

}  // namespace

TEST_CASE("a report that cannot be written is told by its name and its reason", "[output][R6]") {
  const std::string option = GENERATE("--json", "--html", "--trace");
  const TemporaryFolder folder;
  const auto missing = (folder.path() / "none/report").string();
  const std::pair<std::string, std::string> places[] = {
      {"/dev/full", "No space left on device"},
      {missing, "No such file or directory"},
      {folder.path().string(), "Is a directory"},
      {"/proc/version", ""}};  // root has every permission except this one
  for (const auto& [file, reason] : places) {
    CAPTURE(option, file);
    const auto outcome = weir::test::weir(with(run, {option, file}));
    check_told(outcome, file);
    CHECK(contains(outcome.err, reason));
    // The measurements are still printed, unless --trace ends the run.
    if (option != "--trace") CHECK(contains(outcome.out, "samples"));
  }
}

TEST_CASE("one report that cannot be written does not take the other along", "[output][R6]") {
  const TemporaryFolder folder;
  const auto json = (folder.path() / "r.json").string(), html = (folder.path() / "r.html").string();
  check_told(weir::test::weir(with(run, {"--json", "/dev/full", "--html", html})), "/dev/full");
  CHECK(std::filesystem::file_size(html) > 1000);
  check_told(weir::test::weir(with(run, {"--json", json, "--html", "/dev/full"})), "/dev/full");
  CHECK(std::filesystem::file_size(json) > 1000);
}

TEST_CASE("every command's report on a full device exits 1", "[output][R6]") {
  const auto command =
      GENERATE(Arguments{"plan"}, Arguments{"probe", "synthetic:8,8x8"},
               Arguments{"sweep", "synthetic:8,8x8", "--size", "8x8", "--max-queue-size", "1",
                         "--epochs", "1", "--rounds", "1"},
               Arguments{"tune", "synthetic:400,8x8", "--size", "8x8"},
               Arguments{"verify", "synthetic:8,8x8", "--size", "8x8"});
  check_told(weir::test::weir(with(command, {"--quiet", "--json", "/dev/full"})), "/dev/full");
}

TEST_CASE("a page or a list of bad files on a full device exits 1", "[output][D7][R6]") {
  const TemporaryFolder folder;
  folder.write("data/bad.jpg", "no image");
  const auto data = (folder.path() / "data").string(), json = (folder.path() / "r.json").string();
  REQUIRE(weir::test::weir(with(run, {"--json", json})).exit_code == 0);
  for (const auto& command :
       {Arguments{"probe", data, "--quiet", "--list-bad"}, Arguments{"page", json, "--html"},
        Arguments{"sweep", "synthetic:8,8x8", "--size", "8x8", "--max-queue-size", "1", "--epochs",
                  "1", "--rounds", "1", "--quiet", "--html"}}) {
    CAPTURE(command);
    check_told(weir::test::weir(with(command, {"/dev/full"})), "/dev/full");
  }
}

TEST_CASE("a full stdout exits 1 and says so", "[output][R6]") {
  const auto command = GENERATE(
      Arguments(run), with(run, {"--json", "-"}), with(run, {"--digest"}), Arguments{"--help"},
      Arguments{"--version"}, Arguments{"plan"}, Arguments{"probe", "synthetic:8,8x8", "--quiet"},
      Arguments{"sweep", "synthetic:8,8x8", "--size", "8x8", "--max-queue-size", "1", "--epochs",
                "1", "--rounds", "1", "--quiet"},
      Arguments{"sweep", "synthetic:8,8x8", "--only-depth", "1", "--quiet"},
      Arguments{"verify", "synthetic:8,8x8", "--size", "8x8", "--quiet"});
  CAPTURE(command);
  const auto outcome = redirected(command, ">/dev/full");
  CHECK(outcome.exit_code == 1);
  CHECK(contains(outcome.err, "weir: cannot write to stdout: No space left on device"));
  CHECK(redirected(command, ">&-").exit_code == 1);
}

TEST_CASE("a full or closed stderr changes no exit code", "[output][R6]") {
  const std::string where = GENERATE("2>/dev/full", "2>&-");
  const Arguments loud{"run", "synthetic:64,8x8", "--size", "8x8"};
  CHECK(redirected(loud, where).exit_code == 0);
  CHECK(redirected({"run", "/no/such/folder"}, where).exit_code == 1);
  CHECK(redirected({"run", "--no-such-option"}, where).exit_code == 2);
  CHECK(redirected(with(loud, {"--memory-budget", "auto:90%", "--tuning", "automatic",
                               "--metrics-port", "0"}),
                   where)
            .exit_code == 0);
}

TEST_CASE("a disk that fills while a report is written", "[output][R6]") {
  const TemporaryFolder folder;
  if (::mount("none", folder.path().c_str(), "tmpfs", 0, "size=16k") != 0) {
    weir::test::skip("no file system may be mounted here");
    return;
  }
  const auto html = (folder.path() / "r.html").string();
  const auto outcome = weir::test::weir(with(run, {"--html", html}));
  ::mount("none", folder.path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr);
  const auto read_only = weir::test::weir(with(run, {"--json", html}));
  ::umount(folder.path().c_str());
  check_told(outcome, html);
  CHECK(contains(outcome.err, "No space left on device"));
  check_told(read_only, html);
  CHECK(contains(read_only.err, "Read-only file system"));
}
