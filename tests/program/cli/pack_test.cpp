#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <thread>

#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "unit/source/fixture.hpp"

using namespace weir::test;

namespace {

/// Packs made images into small shards.
std::vector<std::string> pack_into(const TemporaryFolder& out, const char* workers) {
  return {"pack",       "synthetic:120,130x195",
          out.string(), "--short-side",
          "96",         "--shard-bytes",
          "40KB",       "--workers",
          workers,      "--shuffle",
          "--quiet"};
}

std::map<std::string, std::string> packed_files(const TemporaryFolder& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    files[entry.path().filename().string()] = read_file(entry.path());
  return files;
}

}  // namespace

TEST_CASE("a pack killed at 20 moments goes on to the files of one run", "[pack]") {
  constexpr int packs = 5, kills = 4;
  const TemporaryFolder whole;
  const auto begun = std::chrono::steady_clock::now();
  REQUIRE(weir::test::weir(pack_into(whole, "1")).exit_code == 0);
  const auto time = std::chrono::steady_clock::now() - begun;
  for (int i = 0; i < packs; ++i) {
    const TemporaryFolder parts;
    for (int kill = 0; kill < kills; ++kill) {
      Running pack(pack_into(parts, "8"));
      // With two CPUs, a whole pack takes half of the time.
      std::this_thread::sleep_for(time * (packs * kill + i + 1) / (packs * kills) / 2);
      pack.end_by(SIGKILL);
    }
    const auto outcome = weir::test::weir(pack_into(parts, "8"));
    CAPTURE(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    CHECK(packed_files(parts) == packed_files(whole));
  }
}

TEST_CASE("pack lists bad images, leaves them out and says what it made", "[pack]") {
  const TemporaryFolder folder, out;
  const auto jpeg = read_text(weir::synthetic(2, {.height = 80, .width = 120}), 1);
  folder.write("cat/a.jpg", jpeg);
  folder.write("cat/b cut.jpg", jpeg.substr(0, 900));
  folder.write("dog/c.jpg", jpeg);
  const auto to = out.string() + "/packed";

  const auto stopped = weir::test::weir({"pack", folder.string(), to, "--short-side", "40"});
  CHECK(stopped.exit_code == 1);
  CHECK(contains(stopped.err, "cat/b cut.jpg: truncated: "));
  CHECK(contains(stopped.err, "--on-fault skip leaves bad samples out"));

  const auto bad = out.string() + "/bad.txt";
  const auto skipped = weir::test::weir({"pack", folder.string(), to, "--short-side", "40",
                                         "--on-fault", "skip", "--list-bad", bad, "--json", "-"});
  CHECK(skipped.exit_code == 0);
  CHECK(skipped.json()["pack"]["samples"] == 2);
  CHECK(skipped.json()["pack"]["shards"] == 1);
  CHECK(skipped.json()["fault_count"] == 1);
  CHECK(skipped.json()["faults"][0]["path"] == "cat/b cut.jpg");
  CHECK(read_file(bad) == "cat/b cut.jpg\n");

  const auto text =
      weir::test::weir({"pack", folder.string(), to, "--short-side", "40", "--on-fault", "skip"});
  CHECK(contains(text.out, "2 samples in 1 shard"));
  CHECK(contains(text.out, "1 shard of an earlier run"));
  CHECK(contains(text.out, "Faults: 1\n  cat/b cut.jpg: truncated"));

  const auto found = weir::test::weir({"pack", folder.string(), to + "3", "--keep"});
  CHECK(found.exit_code == 1);
  CHECK(contains(found.err, "cat/b cut.jpg: truncated: "));
  const auto kept =
      weir::test::weir({"pack", folder.string(), to + "2", "--keep", "--exclude", bad});
  CHECK(kept.exit_code == 0);
  CHECK(contains(read_file(to + "2/shard-000000.tar"), jpeg));
}

TEST_CASE("pack refuses other labels and says what it cannot write", "[pack]") {
  namespace fs = std::filesystem;
  const TemporaryFolder data, out;
  const auto jpeg = read_text(weir::synthetic(1, {.height = 80, .width = 120}), 0);
  for (const auto* const name : {"cat/a.jpg", "cat/b.jpg", "dog/c.jpg", "dog/d.jpg"})
    data.write(name, jpeg);
  const std::vector<std::string> command{"pack",    data.string(), out.string(),    "--keep",
                                         "--order", "every:2",     "--shard-bytes", "1"};
  const auto packed = weir::test::weir(command);
  CHECK(packed.exit_code == 0);
  CHECK(contains(packed.out, "2 samples in 2 shards"));

  // A new first class moves the labels of the others.
  fs::create_directory(data / "ant");
  const auto moved = weir::test::weir(command);
  CHECK(moved.exit_code == 2);
  CHECK(contains(moved.err,
                 "'cat/a.jpg' is in shard-000000.tar, and now its label is 1 instead of "
                 "0; name a new folder"));
  fs::remove(data / "ant");

  auto none = command;
  none[5] = "every:2:4";
  CHECK(contains(weir::test::weir(none).err, "leaves no sample; the source has 4 samples"));

  // In units of 512 bytes. A shard has more.
  fs::remove(out / "shard-000001.tar");
  std::vector<std::string> limited{"/bin/sh", "-c", "ulimit -f 2; exec \"$0\" \"$@\"",
                                   WEIR_PROGRAM};
  limited.insert(limited.end(), command.begin(), command.end());
  const auto full = run_program(limited);
  CHECK(full.exit_code == 1);
  CHECK(contains(full.err, "cannot write " + out.string() + "/shard-000001.tar: File too large"));
  CHECK(weir::test::weir(command).exit_code == 0);

  fs::remove(out / "pack.txt");
  REQUIRE(::mkfifo((out / "pack.txt").c_str(), 0600) == 0);
  CHECK(contains(weir::test::weir(command).err, "its pack.txt is no regular file"));
}

TEST_CASE("pack refuses what cannot be meant", "[pack]") {
  const TemporaryFolder folder;
  folder.write("a.jpg", "no image");
  const auto why = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"pack", folder.string()});
    const auto outcome = weir::test::weir(words);
    CHECK(outcome.exit_code == 2);
    return outcome.err;
  };
  const auto out = folder.string() + "x";
  CHECK(contains(why({out}), "pack needs --short-side N"));
  CHECK(contains(why({out, "--keep", "--short-side", "9"}), "exclude each other"));
  CHECK(contains(why({out, "--keep", "--quality", "9"}), "--quality 9 is for --short-side"));
  CHECK(contains(why({out, "--short-side", "9", "--quality", "101"}), "1 to 100"));
  CHECK(contains(why({out, "--keep", "--on-fault", "blank"}), "must be one of stop|skip"));
  CHECK(contains(why({folder.string() + "/packed", "--keep"}), "write the shards to another"));
  CHECK(contains(why({out, "--keep", "--memory-budget", "1MiB"}), "--memory-budget 1MiB"));
  CHECK_FALSE(std::filesystem::exists(out));
}
