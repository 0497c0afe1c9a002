#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "program.hpp"
#include "support/catch.hpp"
#include "support/tar.hpp"
#include "support/text.hpp"
#include "unit/source/fixture.hpp"

using namespace weir::test;

namespace {

/// Two shards with three images and a sample without one.
class Shards {
 public:
  Shards() {
    const auto made = weir::synthetic(3, {20, 30});
    std::string content[2];
    for (std::uint64_t i = 0; i < 3; ++i) {
      weir::MemorySink sink;
      const auto key = "dog/" + std::to_string(i);
      content[i / 2] += tar_member(key + ".jpg", text_of(made.read(i, sink))) +
                        tar_member(key + ".cls", std::to_string(i + 5));
    }
    content[1] += tar_member("dog/text.txt", "no image");
    for (const int s : {0, 1})
      folder_.write("s" + std::to_string(s) + ".tar", content[s] + tar_end());
  }
  std::string path(const std::string& name = "") const { return (folder_ / name).string(); }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

Outcome quiet(std::vector<std::string> arguments) {
  arguments.emplace_back("--quiet");
  return weir::test::weir(arguments);
}

}  // namespace

TEST_CASE("shards are DATA by pattern, by list and by folder", "[shards]") {
  const Shards shards;
  const std::vector<std::string> ways[] = {{shards.path("s{0..1}.tar")},
                                           {shards.path("s0.tar"), shards.path("s1.tar")},
                                           {shards.path("")},
                                           {shards.path("")}};
  std::vector<std::string> digests;
  for (const auto& way : ways) {
    const bool indexed = digests.size() != 2;
    const auto index = shards.path("index.weir");
    if (!indexed)
      std::filesystem::remove(index);
    else if (!std::filesystem::exists(index))
      REQUIRE(quiet({"index", shards.path("s{0..1}.tar")}).exit_code == 0);
    std::vector<std::string> arguments{"run"};
    arguments.insert(arguments.end(), way.begin(), way.end());
    arguments.insert(arguments.end(), {"--size", "8x8", "--digest", "--json", "-"});
    const auto outcome = weir::test::weir(arguments);
    CAPTURE(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    digests.push_back(outcome.json()["digest"].get<std::string>());
    CHECK(contains(outcome.err, "hint: skipped 1 sample without an image"));
    CHECK(contains(outcome.err, " has no images, so its tar shards are read; ") != indexed);
  }
  CHECK(digests[0] == digests[1]);
  CHECK(digests[0] == digests[2]);
  CHECK(digests[0] == digests[3]);
  CHECK(contains(quiet({"order", shards.path()}).out, "s1.tar/dog/2.jpg\n"));
  CHECK(quiet({"run", shards.path(), "--verify", "--size", "8x8"}).exit_code == 0);
}

TEST_CASE("probe names shard and member even of a sample without image", "[shards]") {
  const Shards shards;
  shards.folder().write("bad.tar", tar_member("x/bad.jpg", "no image at all") + tar_end());
  const auto bad = quiet({"probe", shards.path("bad.tar")});
  CHECK(bad.exit_code == 1);
  CHECK(contains(bad.out, "bad.tar/x/bad.jpg"));
  for (const bool indexed : {false, true}) {
    if (indexed) REQUIRE(quiet({"index", shards.path("s{0..1}.tar")}).exit_code == 0);
    const auto probed = weir::test::weir({"probe", shards.path("s{0..1}.tar"), "--json", "-"});
    CHECK(probed.exit_code == 0);
    const auto json = probed.json()["probe"];
    CHECK(json["sound"] == 3);
    REQUIRE(json["without_image"].size() == 1);
    CHECK(json["without_image"][0]["path"] == "s1.tar/dog/text");
    CHECK(json["without_image"][0]["offset"].get<std::uint64_t>() > 512);
  }
  // An index of more shards does not know how many samples of this one it leaves out.
  for (const auto* some : {"s1.tar", "s{1,0}.tar"}) {
    const auto part = quiet({"probe", shards.path(some), "--json", "-"}).json()["probe"];
    CHECK(part["skipped"] == 1);
    CHECK(part["without_image"][0]["path"] == "s1.tar/dog/text");
  }
  // An index that leaves out none is enough: no header is read, not even a damaged one.
  REQUIRE(quiet({"index", shards.path("s0.tar")}).exit_code == 0);
  std::fstream(shards.path("s0.tar"), std::ios::in | std::ios::out).write("\xff", 1);
  CHECK(quiet({"probe", shards.path("s0.tar")}).exit_code == 0);
}

TEST_CASE("a shard or label that an index or file lacks is named", "[shards]") {
  const Shards shards;
  REQUIRE(quiet({"index", shards.path()}).exit_code == 0);
  std::filesystem::copy(shards.path("s0.tar"), shards.path("t.tar"));
  const auto listed = shards.folder().write("l.tsv", "dog/0\t1\n");
  const auto ordered = weir::test::weir({"order", shards.path(), "--label-file", listed});
  CHECK(ordered.exit_code == 0);
  CHECK(
      contains(ordered.err, "index.weir does not list 1 shard beside it, as t.tar; run `weir in"));
  CHECK(
      contains(ordered.err, "hint: 2 samples have no label, so it is -1, as dog/1; --label-file " +
                                listed + " lacks its key\n"));
}

TEST_CASE("verify names the shard and the sample of one flipped bit", "[shards]") {
  const Shards shards;
  CHECK(contains(weir::test::weir({"verify", shards.path(), "--size", "8x8"}).err,
                 "no index.weir has all these samples"));
  REQUIRE(quiet({"index", shards.path("s{0..1}.tar")}).exit_code == 0);
  const auto sound = quiet({"verify", shards.path(), "--size", "8x8"});
  CHECK(sound.exit_code == 0);
  CHECK(contains(sound.out, "checksums of 3 samples in 2 shards: all are right\n"));
  CHECK(contains(sound.out, "1 batch was delivered once more"));
  const auto flip = [&](const char* shard, std::streamoff at) {
    std::fstream file(shards.path(shard), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const auto byte = static_cast<char>(file.get() ^ 4);
    file.seekp(at);
    file.put(byte);
  };
  flip("s0.tar", 512 + 300);
  flip("s1.tar", 136);  // a time in a header
  const auto broken =
      quiet({"verify", shards.path(), "--size", "8x8", "--on-fault", "blank", "--json", "-"});
  CHECK(broken.exit_code == 1);
  const auto wrong = broken.json()["checksums"]["wrong"];
  REQUIRE(wrong.size() == 2);
  CHECK(
      contains(wrong[0].get<std::string>(), "s0.tar/dog/0.jpg: the checksum of sample 0 differs"));
  CHECK(wrong[1] == "s1.tar: its checksum differs, outside of the images");
  const auto text = quiet({"verify", shards.path(), "--size", "8x8", "--on-fault", "blank"}).out;
  CAPTURE(text);
  CHECK(contains(text, "2 checksums differ. No breach.\n"));
}

TEST_CASE("plan says how many files shards keep open", "[shards]") {
  const Shards shards;
  const auto planned = quiet({"plan", shards.path("s{0..1}.tar"), "--size", "8x8", "--json", "-"});
  CHECK(planned.exit_code == 0);
  CHECK(planned.json()["open_files"] == 2);
  const auto text = quiet({"plan", shards.path("s{0..1}.tar"), "--size", "8x8"}).out;
  CHECK(contains(text, "  open files 2, one for each shard; this process may have "));
  CHECK_FALSE(contains(quiet({"plan", "--size", "8x8"}).out, "open files"));
}

TEST_CASE("what is misused about shards is told with the way out", "[shards]") {
  const Shards shards;
  const auto says = [](const std::vector<std::string>& arguments, int code,
                       const std::string& text) {
    const auto outcome = quiet(arguments);
    CAPTURE(arguments, outcome.err);
    CHECK(outcome.exit_code == code);
    CHECK(contains(outcome.err, text));
  };
  const auto pattern = shards.path("s{0..1}.tar");
  says({"run", pattern, "--verify"}, 2, "make it with `weir index`");
  says({"run", pattern, "--ext", ".jpg"}, 2,
       "weir: --ext .jpg is for folders; with tar shards, --image names the extension");
  says({"run", pattern, "--classes", "a,b"}, 2, "weir: --classes a,b is for folders and for");
  says({"run", pattern, "--follow-symlinks", "yes"}, 2,
       "weir: --follow-symlinks yes is for a folder of images or of a plane; ");
  says({"run", pattern, "--label", "json:z"}, 2,
       "weir: the label 'json:z' must have a JSON pointer");
  says({"run", pattern, "--annotation", "txt", "--annotation-bytes", "0"}, 2,
       "needs --annotation-bytes above 0");
  const auto folder = shards.folder().string();
  says({"run", pattern, "--annotation", folder}, 2,
       folder + ": a folder; with tar shards, write the extension of the member, as .json");
  says({"run", shards.path(), "--annotation", "cls,ext=.x"}, 2,
       "--annotation cls,ext=.x is for a folder; with tar shards, write --annotation .x");
  says({"pack", pattern, "out", "--keep", "--annotation", "cls,missing=skip"}, 2,
       "missing=skip is for a folder; with tar shards, write missing=absent");
  says({"run", pattern, "--annotation", ".nothing"}, 2,
       "weir: --annotation .nothing: no sample has a member with this extension");
  says({"run", "synthetic:3,8x8", "--label", "json:/x"}, 2,
       "weir: synthetic:3,8x8 is no tar shards, which --label is for");
  const TemporaryFolder images;
  images.write("a.jpg", "an image");
  says({"run", images.string(), "--label", "json:/x"}, 2,
       "weir: " + images.string() + " is no tar shards, which --label is for");
  images.write("more/a.tar", "shards of their own");
  std::filesystem::remove(images / "a.jpg");
  says({"run", images.string()}, 1,
       "left out 1 tar shards (more/a.tar), which are opened by their own path");
  const auto labels = images.write("l.tsv", "dog/0.jpg\t1\n");
  says({"order", pattern, "--label-file", labels}, 2,
       "weir: --label-file " + labels + ": no sample's key is in it; a key is the path");
  std::filesystem::copy(shards.path("s0.tar"), shards.path("s0.b.tar"));
  says({"index", shards.path("s0{,.b}.tar"), "--dali-index", images.string()}, 2,
       "weir: --dali-index " + images.string() + ": the shards ");
  CHECK_FALSE(std::filesystem::exists(images / "s0.idx"));
  images.write("pack.txt", "a note");
  says({"run", images.string()}, 1, "a `weir pack` into it has not ended");  // nor has it a shard
  std::filesystem::copy(shards.path("s0.tar"), images / "shard-000000.tar");
  says({"run", images.string()}, 1, "a `weir pack` into it has not ended");
  says({"run", shards.path("s{0..2}.tar")}, 1, "s2.tar: cannot open");
  says({"run", pattern, "--label", "txt", "--label-file", "x"}, 2, "exclude each other");
  says({"index", pattern, "--out", shards.path("index")}, 2, "must be a file named index.weir");
  const TemporaryFolder elsewhere;
  says({"index", pattern, "--out", elsewhere.string() + "/index.weir"}, 2,
       "is not below the folder");
}
