#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

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

TEST_CASE("an unwritable output is reported before the first sample", "[output][R6]") {
  const std::string option = GENERATE("--json", "--html", "--trace");
  const TemporaryFolder folder;
  const auto missing = (folder.path() / "none/report").string();
  const std::pair<std::string, std::string> places[] = {
      {missing, "No such file or directory"},
      {folder.path().string(), "Is a directory"},
      {"/proc/version", ""}};  // root has every permission except this one
  for (const auto& [file, reason] : places) {
    CAPTURE(option, file);
    const auto other = folder.write("other.json", "before");
    // Endless: a run would not end.
    const auto outcome =
        weir::test::weir({"run", "synthetic:8,8x8", "--epochs", "1000000000",
                          option == "--json" ? "--html" : "--json", other, option, file});
    check_told(outcome, file);
    CHECK(contains(outcome.err, reason));
    CHECK(outcome.out.empty());
    CHECK(weir::test::read_file(other) == "before");
  }
}

TEST_CASE("outputs of --list-bad and page are checked before samples", "[output]") {
  const TemporaryFolder folder;
  const auto missing = (folder.path() / "none/report").string();
  check_told(weir::test::weir({"probe", "synthetic:1000000000,8x8", "--list-bad", missing}),
             missing);
  const auto page = weir::test::weir({"page", "/no/such/report.json", "--html", missing});
  check_told(page, missing);
}

TEST_CASE("an output that fails takes no other along", "[output][R6]") {
  const TemporaryFolder folder;
  const std::string options[] = {"--json", "--html", "--trace"};
  const std::string failing = GENERATE("--json", "--html", "--trace");
  auto words = run;
  for (const auto& option : options) {
    words.push_back(option);
    words.push_back(option == failing ? "/dev/full" : (folder.path() / option).string());
  }
  const auto outcome = weir::test::weir(words);
  check_told(outcome, "/dev/full: No space left on device");
  CHECK(contains(outcome.out, "samples"));
  for (const auto& option : options)
    if (option != failing) CHECK(std::filesystem::file_size(folder.path() / option) > 1000);
  // Each failure is told.
  const auto both = weir::test::weir(with(run, {"--json", "/dev/full", "--trace", "/dev/full"}));
  check_told(both, "/dev/full");
  CHECK(both.err.find("cannot write") != both.err.rfind("cannot write"));
}

TEST_CASE("a file keeps its old content until the new one is complete", "[output][R6]") {
  const TemporaryFolder folder;
  const auto html = folder.write("r.html", "before");
  // Writes beyond 4 KiB fail. A page has more.
  const std::string limited = "ulimit -f 8; exec \"$0\" \"$@\"";
  Arguments words{"/bin/sh", "-c", limited, WEIR_PROGRAM};
  const auto outcome = run_program(with(with(words, run), {"--html", html}));
  check_told(outcome, html + ": File too large");
  CHECK(weir::test::read_file(html) == "before");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a replaced file keeps its mode and a link stays a link", "[output]") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const fs::path file = folder.write("kept/r.json", "before");
  const auto link = folder.path() / "link", fresh = folder.path() / "fresh";
  fs::permissions(file, fs::perms(0640));
  fs::create_symlink("kept/r.json", link);
  CHECK(weir::test::weir({"plan", "--json", link}).exit_code == 0);
  CHECK(fs::is_symlink(link));
  CHECK(fs::status(file).permissions() == fs::perms(0640));
  CHECK(weir::test::read_file(file).starts_with("{"));
  CHECK(std::distance(fs::directory_iterator(file.parent_path()), {}) == 1);
  CHECK(weir::test::weir({"plan", "--json", fresh}).exit_code == 0);
  const auto mask = ::umask(0);
  ::umask(mask);
  CHECK(fs::status(fresh).permissions() == fs::perms(0666 & ~mask));
}

TEST_CASE("outputs that are no regular files are written directly", "[output]") {
  const TemporaryFolder folder;
  const auto target = (folder.path() / "out").string();
  // The text follows the JSON in one file.
  const auto outcome = redirected({"plan", "--json", "/dev/stdout"}, ">" + target);
  CHECK(outcome.exit_code == 0);
  const auto both = weir::test::read_file(target);
  CHECK(both.starts_with("{"));
  CHECK(contains(both, "\n}\n"));
  CHECK(contains(both, "queue"));
  const auto pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const auto piped = run_program(
      {"/bin/sh", "-c",
       "cat " + pipe.string() + " & \"$0\" plan --json " + pipe.string() + " >/dev/null && wait",
       WEIR_PROGRAM});
  CHECK(piped.exit_code == 0);
  CHECK(piped.json().is_object());
  CHECK(std::filesystem::is_fifo(pipe));
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
