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

/// A mask with stripes.
std::string mask(int height, int width) {
  auto pgm = "P5 " + std::to_string(width) + ' ' + std::to_string(height) + " 255\n";
  for (int i = 0; i < height * width; ++i) pgm += static_cast<char>(i % width / 10);
  return pgm;
}

/// Packs made images into small shards, each with a mask.
std::vector<std::string> pack_into(const TemporaryFolder& out, const std::string& masks,
                                   const char* workers) {
  return {"pack",       "synthetic:120,130x195",
          out.string(), "--short-side",
          "96",         "--shard-bytes",
          "40KB",       "--workers",
          workers,      "--shuffle",
          "--plane",    "mask=" + masks,
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
  const TemporaryFolder whole, data;
  data.write("mask.pgm", mask(130, 195));
  std::string list;
  for (int i = 0; i < 120; ++i) list += "mask.pgm\n";
  const auto masks = data.write("masks.txt", list);
  const auto begun = std::chrono::steady_clock::now();
  REQUIRE(weir::test::weir(pack_into(whole, masks, "1")).exit_code == 0);
  const auto time = std::chrono::steady_clock::now() - begun;
  for (int i = 0; i < packs; ++i) {
    const TemporaryFolder parts;
    for (int kill = 0; kill < kills; ++kill) {
      Running pack(pack_into(parts, masks, "8"));
      // With two CPUs, a whole pack takes half of the time.
      std::this_thread::sleep_for(time * (packs * kill + i + 1) / (packs * kills) / 2);
      pack.end_by(SIGKILL);
    }
    const auto outcome = weir::test::weir(pack_into(parts, masks, "8"));
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

TEST_CASE("pack says how many images got how many tiles", "[pack]") {
  const TemporaryFolder data, out;
  for (const auto* const name : {"cat/a.jpg", "cat/b.jpg", "dog/c.jpg"})
    data.write(name, read_text(weir::synthetic(1, {.height = 200, .width = 256}), 0));
  data.write("dog/d.pgm", mask(40, 60));
  const auto to = out.string() + "/files";
  const std::vector<std::string> words{"pack", data.string(), "--keep", "--tiles",
                                       "16",   "--jpegs-to",  to};
  const auto packed = weir::test::weir(words);
  CAPTURE(packed.err);
  REQUIRE(packed.exit_code == 0);
  CHECK(contains(packed.out, "/files: 4 files\n"));
  CHECK(contains(packed.out, "  tiles           3 JPEGs: "));
  CHECK(contains(packed.out, "    16 a row      3 JPEGs\n"));
  CHECK(contains(packed.out, "  without tiles   1 image\n"));
  CHECK(read_file(to + "/dog/d.pgm") == mask(40, 60));
  CHECK(read_file(to + "/cat/a.jpg") != read_file(data / "cat/a.jpg"));

  const auto probed = weir::test::weir({"probe", to});
  CHECK(contains(probed.out, "  with tiles      3 of 3 JPEGs\n"));
  const auto before = weir::test::weir({"probe", data.string(), "--json", "-"}).json();
  CHECK(before["probe"]["tiled"] == 0);

  // The pixels are the same, whatever is cropped.
  const auto digest = [](const std::string& from) {
    const auto run = weir::test::weir({"run", from, "--size", "32x32", "--fit", "patch", "--digest",
                                       "--epochs", "5", "--shuffle", "--json", "-"});
    REQUIRE(run.exit_code == 0);
    return run.json()["digest"].dump();
  };
  CHECK(digest(to) == digest(data.string()));

  // Files of an earlier run stay, and those that are missing are written.
  std::filesystem::remove(to + "/cat/b.jpg");
  auto more = words;
  more.erase(more.begin() + 4);  // without a number it is 16
  more.insert(more.end(), {"--json", "-"});
  const auto again = weir::test::weir(more);
  REQUIRE(again.exit_code == 0);
  const auto json = again.json()["pack"];
  CHECK(json["samples"] == 4);
  CHECK(json["kept_files"] == 3);
  REQUIRE(json["tiles"].size() == 1);
  CHECK(json["tiles"][0]["tiles"] == 16);
  CHECK(json["tiles"][0]["images"] == 1);
  CHECK(json["tiles"][0]["bytes"] > 0);
  auto other = words;
  other[4] = "8";
  CHECK(contains(weir::test::weir(other).err, "with 'tiles 16', and now it is 'tiles 8'"));

  // Never into a folder that has other files.
  other = words;
  other.back() = out.string();
  const auto refused = weir::test::weir(other);
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.err, "the folder is not empty and not of weir pack"));
}

TEST_CASE("pack reduces the masks of a folder with its images", "[pack][planes]") {
  const TemporaryFolder images, masks, out;
  const auto jpeg = read_text(weir::synthetic(1, {.height = 80, .width = 120}), 0);
  for (const auto* const name : {"a", "b", "c"}) images.write(name + std::string(".jpg"), jpeg);
  for (const auto* const name : {"a", "b"}) masks.write(name + std::string(".pgm"), mask(40, 60));
  const auto pack = [&](const std::string& to, std::vector<std::string> words) {
    words.insert(words.begin(), {"pack", images.string(), out.string() + '/' + to});
    return weir::test::weir(words);
  };
  const auto plane = "mask=" + masks.string();
  const std::vector<std::string> small{"--short-side", "40", "--plane", plane + ",missing=absent"};
  const auto packed = pack("small", small);
  CAPTURE(packed.err);
  REQUIRE(packed.exit_code == 0);
  CHECK(contains(read_file(out / "small/pack.txt"), "plane mask stored8 optional\n"));
  const auto run =
      weir::test::weir({"run", out / "small", "--size", "40x60", "--fit", "stretch", "--plane",
                        "mask=.mask.png,optional,scale=1/2", "--json", "-"});
  CHECK(run.json()["planes"][0]["ok"] == 2);
  CHECK(run.json()["planes"][0]["absent"] == 1);
  CHECK(run.json()["fault_count"] == 0);

  CHECK(pack("small", small).exit_code == 0);
  auto other = small;
  other[3] += ",format=grey8";
  CHECK(contains(pack("small", other).err, "and now it is 'plane mask grey8 optional'"));
  CHECK(contains(pack("b", {"--keep", "--plane", plane}).err, "weir: plane mask: 'c.jpg' has"));
  CHECK(pack("kept", {"--keep", "--plane", plane + ",missing=skip"}).exit_code == 0);
  CHECK(contains(read_file(out / "kept/shard-000000.tar"), mask(40, 60)));

  // Planes of DATA: a column of a manifest with values of 16 bits.
  const auto list = images.write("list.tsv", "path\tlabel\tdepth\na.jpg\t0\tdepth.pgm\n");
  images.write("depth.pgm", "P5 1 1 1000\n\x03\xe7");
  const auto data_planes = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"pack", list, out / "columns"});
    return weir::test::weir(words);
  };
  const auto unnamed = data_planes({"--short-side", "40"});
  CHECK(unnamed.exit_code == 2);
  CHECK(contains(unnamed.err,
                 "has planes (depth), and --short-side must know their pixel formats; "
                 "write --plane depth,format=FORMAT for each one"));
  CHECK(contains(data_planes({"--keep", "--plane", "depth"}).err,
                 "a.jpg: unsupported: plane depth: "));
  CHECK(data_planes({"--keep"}).exit_code == 0);  // the other pack has kept nothing
  CHECK(contains(read_file(out / "columns/shard-000000.tar"), "00000000.depth.pnm"));
}

TEST_CASE("label files of a folder are annotations in runs and packs", "[pack]") {
  const TemporaryFolder data, out;
  data.write("images/a.pgm", mask(20, 30));
  data.write("images/b.pgm", mask(20, 30));
  data.write("labels/a.txt", "0 0.5 0.5 1 1\n");
  const auto images = (data.path() / "images").string(), labels = (data.path() / "labels").string();
  const auto plan = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "--quiet", "--json", "-", "--size", "8x8"});
    return weir::test::weir(more);
  };
  const auto lonely = plan({images, "--annotation", labels});
  CHECK(lonely.exit_code == 2);
  CHECK(contains(lonely.err, "weir: --annotation " + labels + ": '"));
  CHECK(contains(lonely.err, "has no file b.txt"));
  CHECK(contains(lonely.err, "missing=absent"));
  const auto absent = plan({images, "--annotation", labels + ",missing=absent"});
  REQUIRE(absent.exit_code == 0);
  CHECK(absent.json()["plan"]["annotation_bytes"] == 16);
  CHECK(plan({images, "--annotation", labels + ",missing=skip"}).json()["samples"]["consumed"] ==
        1);
  CHECK(plan({images, "--annotation", labels + ",any=x"}).exit_code == 2);
  CHECK(plan({images, "--annotation", labels + ",ext=json"}).exit_code == 2);
  REQUIRE(weir::test::weir({"pack", images, out.string(), "--keep", "--quiet", "--annotation",
                            labels + ",missing=absent"})
              .exit_code == 0);
  const auto small = [&](const char* side, std::vector<std::string> more) {
    more.insert(more.begin(), {"pack", images, out / ("small" + std::string(side)), "--short-side",
                               side, "--annotation", labels + ",missing=absent"});
    return weir::test::weir(more);
  };
  CHECK(
      contains(small("10", {}).out, "1 image became smaller, boxes in pixels did not; use --keep"));
  CHECK_FALSE(contains(small("20", {}).out, "became smaller"));
  CHECK(small("11", {"--json", "-"}).json()["pack"]["unfit_annotations"] == 1);
  data.write("empty/a.txt", "");
  data.write("wrong/a.CLS", "0");
  data.write("wrong/a." + std::string(81, 'x'), "0");
  const auto pack = [&](const std::string& source) {
    return weir::test::weir({"pack", images, out / source.substr(0, 5), "--keep", "--annotation",
                             data.string() + '/' + source + ",missing=absent"});
  };
  REQUIRE(pack("empty").exit_code == 0);
  CHECK(plan({out / "empty", "--annotation", "txt"}).exit_code == 0);
  CHECK(contains(pack("wrong,ext=CLS").err, "members of this extension are labels"));
  CHECK(contains(pack("wrong,ext=" + std::string(81, 'x')).err, "1 to 80 characters, not 81"));
  const auto packed = plan({out.string(), "--annotation", "txt"});
  REQUIRE(packed.exit_code == 0);
  CHECK(packed.json()["plan"]["annotation_bytes"] == 16);
  CHECK(packed.json()["samples"]["consumed"] == 2);
  CHECK(weir::test::weir({"plan", images, "--annotation", labels + ",missing=absent"}).exit_code ==
        0);
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
  CHECK(contains(why({out, "--keep", "--quality", "9"}), "exclude each other"));
  CHECK(contains(why({out, "--short-side", "9", "--quality", "101"}), "1 to 100"));
  CHECK(contains(why({out, "--keep", "--tiles", "0"}), "--tiles 0"));
  CHECK(contains(why({out, "--keep", "--jpegs-to", out}), "takes one DATA"));
  CHECK(contains(why({"--short-side", "9", "--jpegs-to", out}), "needs --keep"));
  CHECK(contains(why({"--keep", "--jpegs-to", out, "--shard-bytes", "9"}), "exclude each other"));
  CHECK(contains(why({"--keep", "--jpegs-to", out, "--shuffle"}), "--shuffle has no effect on"));
  CHECK(contains(why({"--keep", "--jpegs-to", folder.string() + "/x"}), "write to another folder"));
  CHECK(contains(why({out, "--keep", "--on-fault", "blank"}), "must be one of stop|skip"));
  CHECK(contains(why({folder.string() + "/packed", "--keep"}), "write to another folder"));
  CHECK(contains(why({out, "--keep", "--memory-budget", "1MiB"}), "--memory-budget 1MiB"));
  CHECK(contains(why({out, "--keep", "--plane", "m,fill=255"}),
                 "--plane m,fill=255: 'fill=255' is none of format, missing, optional\n"));
  for (const auto* const key : {"filter=nearest", "scale=1/2", "match=stretch"})
    CHECK(contains(why({out, "--short-side", "9", "--plane", std::string("m,") + key}),
                   "is none of format, missing, optional\n"));
  CHECK(contains(why({out, "--keep", "--plane", "m,fomat=grey8"}), "did you mean format?"));
  CHECK_FALSE(std::filesystem::exists(out));
}
