#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "program.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"
#include "support/text.hpp"
#include "unit/source/fixture.hpp"
#include "weir/source.hpp"

using weir::test::contains;
using weir::test::run_program;
using weir::test::TemporaryFolder;
using Arguments = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

void put_image(const fs::path& path) {
  std::ofstream(path, std::ios::binary) << weir::test::read_text(weir::synthetic(1, {20, 20}), 0);
}

}  // namespace

TEST_CASE("no samples is an error that says what was found", "[hostile][D10]") {
  const TemporaryFolder folder;
  folder.write("list.tsv", "# nothing\n");
  const std::string data = GENERATE("", "list.tsv");
  const std::string command = GENERATE("run", "verify", "probe", "tune", "sweep", "plan");
  const auto from = data.empty() ? (fs::create_directory(folder.path() / "empty"), "empty") : data;
  const auto outcome =
      weir::test::weir({command, (folder.path() / from).string(), "--size", "8x8", "--quiet"});
  CAPTURE(command, from, outcome.err);
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.out.empty());
  CHECK(contains(outcome.err, data.empty() ? "empty: no samples: the folder is empty"
                                           : "list.tsv: no samples: 1 lines, each empty or a "));
}

TEST_CASE("extensions or exclusions that leave nothing are named", "[hostile][D10]") {
  const TemporaryFolder folder, lists;
  folder.write("a.jpg", "x");
  folder.write("b.jpg", "x");
  const auto run = [&](const Arguments& more) {
    Arguments words{"run", folder.string(), "--size", "8x8", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const auto outcome = weir::test::weir(words);
    CHECK(outcome.exit_code == 1);
    return outcome.err;
  };
  const auto none = run({"--ext", ".png,.webp"});
  CHECK(contains(none,
                 "no samples: found 2 entries and left out 2 of other extensions than --ext "
                 ".png,.webp ("));
  CHECK(contains(none, ".jpg, …)\n"));
  CHECK(contains(run({"--exclude", lists.write("all", "a.jpg\nb.jpg\n")}),
                 "leaves out all 2 of " + folder.string()));
  CHECK(contains(run({"--exclude", "/dev/zero"}), "/dev/zero: it has a NUL byte"));
  CHECK(weir::test::weir({"run", "synthetic:0,8x8"}).exit_code == 2);
}

TEST_CASE("what a folder holds that is no data is counted and told", "[hostile][D2][D3]") {
  const TemporaryFolder folder, beside;
  put_image(folder.path() / "own");
  REQUIRE(::mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
  fs::create_symlink("gone", folder.path() / "dangling");
  const auto probe = weir::test::weir({"probe", folder.path(), "--json", "-"});
  CHECK(probe.exit_code == 1);  // the link's target has no verdict
  CHECK(probe.json()["probe"]["files"] == 1);
  CHECK(probe.json()["probe"]["skipped"] == 2);
  CHECK(contains(probe.err, "skipped under " + folder.path().string() +
                                ": 1 not readable (dangling: No such file or "
                                "directory); 1 neither file nor "
                                "folder (pipe)"));
  const auto unreached = probe.json()["probe"]["unreached"];
  REQUIRE(unreached.size() == 1);
  CHECK(unreached[0]["path"] == "dangling");
  CHECK(unreached[0]["reason"] == "No such file or directory");
  const auto text = weir::test::weir({"probe", folder.path(), "--quiet"}).out;
  CHECK(
      contains(text, "skipped         2\n  not reached     dangling: No such file or directory\n"));
  fs::remove(folder.path() / "dangling");
  CHECK(weir::test::weir({"probe", folder.path(), "--quiet"}).exit_code == 0);
  // The names pass through every layer between the folder and a run.
  const auto run = weir::test::weir({"run", folder.path(), "--read-delay-ms", "1", "--exclude",
                                     beside.write("none", ""), "--size", "8x8"});
  CHECK(run.exit_code == 0);
  CHECK(contains(run.err, "skipped under"));
}

TEST_CASE("names come out escaped, in text and in JSON", "[hostile][D6]") {
  const TemporaryFolder folder;
  const std::string name = "a\nb\x1b[31m\xff.jpg";
  folder.write(name, "no image");
  const auto escaped = "a\\x0ab\\x1b[31m\\xff.jpg";
  const auto text = weir::test::weir({"probe", folder.path(), "--quiet"});
  CHECK(text.exit_code == 1);
  CHECK(contains(text.out, escaped));
  CHECK_FALSE(contains(text.out, "\x1b"));
  const auto json = weir::test::weir({"run", folder.path(), "--quiet", "--json", "-"});
  REQUIRE(json.json().is_object());
  CHECK(json.json()["faults"][0]["path"] == escaped);
  CHECK(contains(json.err, escaped));
  CHECK_FALSE(contains(json.err, "\x1b"));
  // A pipe gets the bytes of names, a terminal does not.
  CHECK(contains(weir::test::weir({"order", folder.path()}).out, "a\\nb\x1b[31m\xff.jpg"));
  const auto* const on_terminal =
      "WEIR=$0 DATA=$1 exec script -qec 'exec \"$WEIR\" order \"$DATA\"' /dev/null </dev/null";
  const auto shown =
      run_program({"/bin/sh", "-c", on_terminal, WEIR_PROGRAM, folder.path().string()});
  CHECK(contains(shown.out, "a\\nb\\x1b[31m\\xff.jpg"));
}

TEST_CASE("refusals escape the names of data and of reports", "[hostile][D6]") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "\x1b[31mred\n";
  fs::create_symlink(path.filename(), path);
  const Arguments arguments = GENERATE_COPY(
      Arguments{"probe", path.string()},
      Arguments{"run", "synthetic:4,8x8", "--size", "8x8", "--json", (path / "report").string()},
      Arguments{"probe", "synthetic:4,8x8", "--exclude", path.string()});
  const auto outcome = weir::test::weir(arguments);
  CAPTURE(arguments[0], outcome.err);
  CHECK(outcome.exit_code == 1);
  CHECK(contains(outcome.err, "\\x1b[31mred\\x0a"));
  CHECK_FALSE(contains(outcome.err, "\x1b[31m"));
}

TEST_CASE("the flag --follow-symlinks says which folder links are data", "[hostile][D3]") {
  const TemporaryFolder folder, outside;
  put_image(folder.path() / "own");
  put_image(outside.path() / "other");
  fs::create_symlink("own", folder.path() / "inside");
  fs::create_directory_symlink(outside.path(), folder.path() / "out");
  const auto files = [&](const Arguments& more) {
    Arguments words{"probe", folder.path(), "--json", "-", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return weir::test::weir(words).json()["probe"]["files"].get<int>();
  };
  CHECK(files({}) == 2);
  CHECK(files({"--follow-symlinks", "inside-root"}) == 2);
  CHECK(files({"--follow-symlinks", "no"}) == 1);
  CHECK(files({"--follow-symlinks", "yes"}) == 3);
  CHECK(weir::test::weir({"probe", folder.path(), "--follow-symlinks", "all"}).exit_code == 2);
}

TEST_CASE("a file that may not be read stops a run or costs its own row", "[hostile][D4]") {
  const TemporaryFolder folder;
  put_image(folder.path() / "open");
  put_image(folder.path() / "shut");
  fs::permissions(folder.path(), fs::perms(0755));
  fs::permissions(folder.path() / "shut", fs::perms::none);
  // Permissions do not restrict root.
  Arguments nobody{"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"};
  if (::geteuid() != 0) nobody.clear();
  const auto as_nobody = [&](const Arguments& arguments) {
    auto words = nobody;
    words.emplace_back(WEIR_PROGRAM);
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program(words);
  };
  if ((!nobody.empty() && !fs::exists(nobody[0])) || as_nobody({"--version"}).exit_code != 0) {
    weir::test::skip("no other user can run the program here");
    return;
  }
  const auto stopped = as_nobody({"run", folder.path(), "--quiet"});
  CHECK(stopped.exit_code == 1);
  CHECK(contains(stopped.err, "shut: io (cannot open: Permission denied)"));
  const auto blank =
      as_nobody({"run", folder.path(), "--quiet", "--on-fault", "blank", "--json", "-"});
  CHECK(blank.exit_code == 0);
  CHECK(blank.json()["samples"]["consumed"] == 1);
  CHECK(blank.json()["samples"]["failed"] == 1);
}

// UBSan opens a pipe to check that an address is readable. Without a free descriptor it reports an error.
#ifndef WEIR_TEST_UBSAN
TEST_CASE("a program with too few descriptors ends and says what failed", "[hostile][D7]") {
  const TemporaryFolder folder;
  constexpr int files = 60;
  for (int i = 0; i < files; ++i) put_image(folder.path() / std::to_string(i));
  const std::string policy = GENERATE("stop", "skip", "blank"), read_ahead = GENERATE("0", "24");
  // 5 are enough for those of every program, the folder and one read. With 4, the folder cannot be
  // listed. The shell first closes descriptors that ctest left open, because they count, too.
  const std::string closing =
      "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; exec /usr/bin/prlimit --nofile=$0 \"$@\"";
  const std::string descriptors = GENERATE("16", "5", "4");
  Arguments words{"/bin/sh", "-c", closing, descriptors, WEIR_PROGRAM, "run", folder.string()};
  for (const auto* word : {"--size", "8x8", "--batch", "8", "--workers", "24", "--memory-budget",
                           "256MiB", "--json", "-", "--quiet"})
    words.emplace_back(word);
  words.insert(words.end(), {"--read-ahead", read_ahead, "--on-fault", policy});
  const auto outcome = run_program(words);
  CAPTURE(policy, read_ahead, descriptors, outcome.exit_code, outcome.err, outcome.out);
  REQUIRE(outcome.exit_code <= 1);
  if (outcome.exit_code == 1) CHECK(contains(outcome.err, "Too many open files"));
  const auto report = outcome.json();
  CHECK(report.is_discarded() == (descriptors == "4"));
  if (report.is_discarded()) {
    CHECK(outcome.exit_code == 1);
    return;
  }
  CHECK(report["samples"]["conserved"] == true);
  for (const auto& fault : report["faults"]) {
    CHECK(fault["kind"] == "io");
    CHECK(contains(fault["reason"].get<std::string>(), "Too many open files"));
  }
  if (policy == "blank") {
    CHECK(outcome.exit_code == 0);
    CHECK(report["samples"]["drawn"] == files);
  }
}
#endif
