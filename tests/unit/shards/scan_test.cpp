#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "base/checksum.hpp"
#include "shards/make_index.hpp"
#include "shards/tar_shards.hpp"
#include "support/catch.hpp"
#include "support/tar.hpp"
#include "support/temporary_folder.hpp"
#include "unit/source/conformance.hpp"
#include "unit/source/fixture.hpp"
#include "weir/error.hpp"
#include "weir/shards.hpp"

namespace weir::test {
namespace {

/// Writes a shard of these members and returns its path.
std::string write_shard(const TemporaryFolder& folder, const std::string& name,
                        const std::vector<std::string>& members) {
  std::string content;
  for (const auto& member : members) content += member;
  return folder.write(name, content + tar_end());
}

/// What tar_shards() says of a shard with this content.
std::string shard_refusal(const TemporaryFolder& folder, const std::string& content,
                          const ShardOptions& options = {}) {
  const auto path = folder.write("hostile/x.tar", content);
  try {
    tar_shards(path, options);
  } catch (const Error& error) {
    CHECK(error.code() == Errc::source_failed);
    return error.what();
  }
  return "";
}

/// The member with another text in the field of its size, and the checksum of that.
std::string with_size(std::string member, std::string_view text) {
  member.replace(124, text.size(), text).replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : member.substr(0, 512)) sum += static_cast<unsigned char>(c);
  char digits[7];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  return member.replace(148, 7, digits, 7);
}

void write_index_of(const std::string& path, const std::string& to, const ShardOptions& options) {
  const auto shards = shards::open_shards({path}, options, {}, shards::OldIndex::ignore);
  shards::write_index(to, shards::complete_index(shards, {}));
}

}  // namespace

TEST_CASE("the members of a shard are grouped by key") {
  const TemporaryFolder folder;
  const auto path = write_shard(
      folder, "a.tar",
      {tar_header("dir/", 0, '5'), tar_member("README", "no key"),
       tar_member("dir/.hidden.jpg", "-"), tar_member("dir/a.cls", " 7\n"),
       tar_member("dir/a.JPG", "image a"), tar_member("dir/b.json", R"({"x": {"y": -3}})"),
       tar_member("dir/b.png", "image b"), tar_member("dir/c.txt", "no image"),
       tar_member("dir/d.jpg", "")});
  const auto source = tar_shards(path);
  CHECK(names_of(source) ==
        std::vector<std::string>{"a.tar/dir/a.JPG", "a.tar/dir/b.png", "a.tar/dir/d.jpg"});
  CHECK(read_text(source, 0) == "image a");
  CHECK(label_of(source, 0) == 7);
  CHECK(label_of(source, 1) == -1);
  CHECK(source.encoded_bytes(1) == 7);
  CHECK(source.skipped() == 1);
  CHECK(source.index_bytes() > 3 * 48);
  const auto empty = refusal_of(source, 2);
  REQUIRE(empty);
  CHECK(empty->kind == FaultKind::corrupt);
  CHECK(empty->takes == 0);
  CHECK_THAT(refusal_of(tar_shards(path, {.max_encoded_bytes = 6}), 0)->reason, has_text("is 6"));
}

TEST_CASE("a label is in a member or in a file") {
  const TemporaryFolder folder;
  const auto path =
      write_shard(folder, "a.tar",
                  {tar_member("a.jpg", "a"), tar_member("a.json", R"({"x": {"y": -3}})"),
                   tar_member("b.jpg", "b")});
  const auto pointed = tar_shards(path, {.label = "json:/x/y"});
  CHECK(label_of(pointed, 0) == -3);
  CHECK(label_of(pointed, 1) == -1);
  const auto labels = folder.write("labels.tsv", "# key\tlabel\nb\t5\r\n#b\t7\n./#c\t6\n");
  // `tar` keeps "./" if it is given the files of ".".
  const auto dotted =
      write_shard(folder, "dotted.tar", {tar_member("./a.jpg", "a"), tar_member("./b.jpg", "b")});
  for (const auto& shard : {path, dotted}) {
    const auto listed = tar_shards(shard, {.label_file = labels});
    CHECK(label_of(listed, 0) == -1);
    CHECK(label_of(listed, 1) == 5);
  }
  const auto hash = write_shard(folder, "hash.tar", {tar_member("#c.jpg", "c")});
  CHECK(label_of(tar_shards(hash, {.label_file = labels}), 0) == 6);
  const auto why = [&](const ShardOptions& options) -> std::string {
    try {
      tar_shards(path, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(why({.label = "json:/x"}), has_text("'a.json' has no whole number of 64 bits at /x"));
  CHECK_THAT(why({.label = "json:/z"}), has_text("has nothing at /z"));
  CHECK_THAT(why({.label = "json:z"}), has_text("JSON pointer after the colon"));
  CHECK_THAT(why({.label = "json"}), has_text("is not a whole number"));
  CHECK_THAT(why({.label = "json"}), has_text("`ShardOptions::label_file` a file"));
  CHECK_THAT(why({.label = ""}), has_text("must be an extension"));
  CHECK_THAT(why({.label = "txt"}), has_text("`label` = txt: no sample has this member, as"));
  CHECK(tar_shards(path).size() == 2);  // nobody asked for labels
  CHECK_THROWS_WITH(tar_shards(path + '\0' + 'x'), has_text("a.tar\\x00x: has a NUL byte"));
  folder.write("labels.tsv", "a.jpg\t5\n");
  CHECK_THAT(why({.label_file = labels}), has_text("labels.tsv: no sample's key is in it; a key"));
  folder.write("labels.tsv", "b\t5\nb\t6\n");
  CHECK_THAT(why({.label_file = labels}), has_text("labels.tsv:2: 'b\\x096' has a key that came"));
  folder.write("labels.tsv", "b 5\n");
  CHECK_THAT(why({.label_file = labels}), has_text("is not key<TAB>label"));
}

TEST_CASE("all labels of a source have one origin") {
  const TemporaryFolder folder;
  std::vector<std::string> members;
  for (const std::string key : {"a", "b"}) {
    if (key == "b") members.push_back(tar_member("b.png", "another image of b"));
    members.push_back(tar_member(key + ".jpg", "image"));
    members.push_back(tar_member(key + ".json", R"({"l": 7})"));
    members.push_back(tar_member(key + ".cls", "3"));
  }
  const auto path = write_shard(folder, "s.tar", members);
  const auto index = (folder / "index.weir").string();
  const auto labels_of = [&](const ShardOptions& options) {
    const auto source = tar_shards(index, options);
    std::vector<std::int64_t> labels;
    for (std::uint64_t i = 0; i < source.size(); ++i) labels.push_back(label_of(source, i));
    return labels;
  };
  using Labels = std::vector<std::int64_t>;
  write_index_of(path, index, {.label = "json:/l"});
  CHECK(labels_of({}) == Labels{7, 7});
  CHECK(labels_of({.image = "jpg"}) == Labels{7, 7});  // the index has the png of b
  CHECK(labels_of({.image = "jpg", .label_file = folder.write("l.tsv", "a\t1\nb\t2\n")}) ==
        Labels{1, 2});
  write_index_of(path, index, {});
  CHECK(labels_of({.image = "jpg"}) == Labels{3, 3});
  CHECK(labels_of({.image = "jpg", .label = "json:/l"}) == Labels{7, 7});
  write_index_of(path, index, {.label_file = (folder / "l.tsv").string()});
  CHECK(labels_of({.image = "jpg", .label = "json:/l"}) == Labels{7, 7});
  CHECK_THROWS_WITH(tar_shards(index, {.image = "jpg"}),
                    has_text("b.jpg, and does not say where labels are"));
}

TEST_CASE("no other option changes the images of an index") {
  const TemporaryFolder folder;
  std::vector<std::string> members;
  for (const std::string key : {"a", "b", "c"}) {
    members.push_back(tar_member(key + ".json", "1"));
    members.push_back(tar_member(key + ".left.jpg", "image"));
    if (key != "b") members.push_back(tar_member(key + ".right.jpg", "the image"));
  }
  const auto path = write_shard(folder, "s.tar", members);
  write_index_of(path, (folder / "index.weir").string(), {.image = "right.jpg"});
  using Names = std::vector<std::string>;
  const auto labels = folder.write("l.tsv", "a\t1\nb\t2\n");
  for (const auto& options : {ShardOptions(), ShardOptions{.label = "json", .verify = true},
                              ShardOptions{.label_file = labels, .verify = true},
                              ShardOptions{.annotation = "json", .verify = true}}) {
    const auto source = tar_shards(folder.string(), options);
    CHECK(names_of(source) == Names{"s.tar/a.right.jpg", "s.tar/c.right.jpg"});
    CHECK(source.skipped() == 1);
  }
  const auto indexed = shards::open_shards({path}, {});
  const auto left_out = shards::scan_shards(indexed.files(), {}, {}, &indexed.index()).left_out;
  REQUIRE(left_out.size() == 1);
  CHECK(left_out[0].name == "s.tar/b");
  const ShardPlane right{"r", "right.jpg"};
  CHECK(names_of(tar_shards(path, {.planes = {right}})) ==
        Names{"s.tar/a.left.jpg", "s.tar/c.left.jpg"});
  CHECK(tar_shards(path, {.image = "left.jpg"}).size() == 3);
  const auto bytes = std::filesystem::file_size(path);
  write_shard(folder, "s.tar", {tar_member("a.left.jpg", "image")});
  std::filesystem::resize_file(path, bytes);
  CHECK_THROWS_WITH(tar_shards(path, {.label = "json"}),
                    has_text("has images that the shards lack"));
}

TEST_CASE("a sample whose only image is a plane is left out") {
  const TemporaryFolder folder;
  const auto path = write_shard(folder, "s.tar",
                                {tar_member("a.jpg", "image"), tar_member("a.seg.png", "mask"),
                                 tar_member("b.seg.png", "mask"), tar_member("c.jpg", "image"),
                                 tar_member("c.seg.png", "mask")});
  const auto opened = [&] { return names_of(tar_shards(path, {.planes = {{"m", "seg.png"}}})); };
  const auto without_index = opened();
  CHECK(without_index.size() == 2);
  write_index_of(path, (folder / "index.weir").string(), {});
  CHECK(opened() == without_index);
}

TEST_CASE("a pack that has not ended is refused") {
  const TemporaryFolder folder;
  const auto opened = [&](shards::OldIndex old_index) {
    return shards::open_shards({folder.string()}, {}, {}, old_index).size();
  };
  const auto refused = has_text("has not ended");
  folder.write("pack.txt", "a note");
  CHECK_THROWS_WITH(opened(shards::OldIndex::use), refused);
  const auto path = write_shard(folder, "s.tar", {tar_member("a.jpg", "image")});
  CHECK_THROWS_WITH(opened(shards::OldIndex::use), refused);
  CHECK_THROWS_WITH(opened(shards::OldIndex::ignore), refused);
  CHECK_THROWS_WITH(shards::open_shards({path}, {}, {}, shards::OldIndex::ignore), refused);
  CHECK(tar_shards(path).size() == 1);  // who names a shard knows what it is
  shards::write_index((folder / "index.weir").string(), shards::open_shards({path}, {}).index());
  CHECK(opened(shards::OldIndex::use) == 1);
  CHECK(opened(shards::OldIndex::ignore) == 1);
}

TEST_CASE("a shard that is cut after it was opened is a fault") {
  const TemporaryFolder folder;
  const auto path = write_shard(folder, "s.tar",
                                {tar_member("a.jpg", "image a"), tar_member("b.jpg", "image b")});
  const auto source = tar_shards(path);
  const auto reason = [&](std::uint64_t i) { return refusal_of(source, i)->reason; };
  std::filesystem::resize_file(path, 514);
  CHECK(reason(0) == "the shard was cut short: it has 2 of the 7 bytes from byte 512 on");
  CHECK(reason(1) == "the shard was cut short: it has 0 of the 7 bytes from byte 1536 on");
}

TEST_CASE("other members are read if asked for") {
  const TemporaryFolder folder;
  const auto path = write_shard(
      folder, "a.tar",
      {tar_member("a.seg.png", "mask"), tar_member("a.jpg", "image"), tar_member("a.txt", "text"),
       tar_member("b.jpg", "image"), tar_member("b.txt", "a long text"),
       tar_member("b.DEPTH.png", ""), tar_member("c.jpg", "image"),
       tar_member("c.depth.png", "depth"), tar_member("c.seg.png", "more")});
  const auto source = tar_shards(
      path, {.planes = {{"mask", "seg.png"}, {"depth", ".depth.png"}}, .annotation = ".TXT"});
  REQUIRE(source.size() == 3);
  CHECK(source.planes() == std::vector<std::string>{"mask", "depth"});
  CHECK(source.name(0) == "a.tar/a.jpg");
  CHECK(source.plane_name(2, 1) == "a.tar/c.depth.png");
  CHECK(source.encoded_bytes(0) == 5);
  MemorySink parts;
  const auto encoded = source.read(0, parts);
  const auto text = [](std::span<const std::byte> bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  CHECK(text(encoded.bytes) == "image");
  REQUIRE(encoded.planes.size() == 2);
  CHECK(text(encoded.planes[0]) == "mask");
  CHECK(encoded.planes[1].empty());
  CHECK(text(encoded.annotation) == "text");
  CHECK(source.annotation_bytes() == 11);
  MemorySink both, depth;
  depth.want({1});
  const auto third = source.read(2, both), alone = source.read(2, depth);
  CHECK(text(third.planes[0]) == "more");
  CHECK(text(third.planes[1]) == "depth");
  CHECK(alone.planes[0].empty());
  CHECK(text(alone.planes[1]) == "depth");
  CHECK(depth.parts().size() == 2);
  const auto refused = refusal_of(source, 1);
  REQUIRE(refused);
  CHECK(refused->reason == "plane depth: a.tar/b.depth.png: empty member");
  const auto texts = tar_shards(path, {.annotation = "txt", .max_encoded_bytes = 6});
  CHECK(texts.annotation_bytes() == 4);
  CHECK(refusal_of(texts, 1)->reason ==
        "annotation a.tar/b.txt: the member has 11 bytes, `max_encoded_bytes` is 6");
  const auto small = write_shard(
      folder, "b.tar",
      {tar_member("a.jpg", "i"), tar_member("a.png", "mask"), tar_member("a.txt", "text")});
  CHECK(
      refusal_of(
          tar_shards(small, {.image = "jpg", .planes = {{"mask", "png"}}, .max_encoded_bytes = 3}),
          0)
          ->reason == "plane mask: b.tar/a.png: the member has 4 bytes, `max_encoded_bytes` is 3");
  check_source(
      tar_shards(small, {.image = "jpg", .planes = {{"mask", "png"}}, .annotation = "txt"}));
  const auto why = [&](const ShardOptions& options) {
    try {
      tar_shards(path, options);
    } catch (const Error& error) {
      CHECK(error.code() == Errc::bad_options);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK_THAT(why({.image = "jpg", .planes = {{"mask", ".JPG"}}}), has_text("one role"));
  CHECK_THAT(why({.planes = {{"a", "seg.png"}, {"b", "SEG.png"}}}),
             has_text("planes[1].extension and a are both"));
  CHECK_THAT(why({.planes = {{"txt", "txt"}}, .annotation = "txt"}), has_text("one role"));
  CHECK_THAT(why({.planes = {{"Mask", "seg.png"}}}),
             has_text("`planes[0].name` = 'Mask': the name"));
  CHECK_THAT(why({.planes = {{"mask", "."}}}), has_text("planes[0].extension is empty"));
  CHECK_THAT(why({.planes = {{"mask", "seg.png"}, {"depth", "exr"}}}),
             has_text("planes[1], depth: no sample has a member with the extension 'exr', as the "
                      "sample a.jpg"));
  CHECK_THAT(why({.annotation = ".json"}),
             has_text("`ShardOptions::annotation` = .json: no sample has a member with this "
                      "extension, as the sample a.seg.png"));
  CHECK_THAT(why({.annotation = "txt", .needs_annotation = true}),
             has_text("= txt: 1 of 3 samples lack a member with this extension, as the sample "
                      "c.jpg; `needs_annotation = false`"));
}

TEST_CASE("an archive that cannot be read in place is refused by name") {
  const TemporaryFolder folder;
  const auto end = tar_end();
  const auto a = tar_member("a.jpg", "first");
  CHECK(shard_refusal(folder, a + end).empty());
  CHECK(shard_refusal(folder, a + end + std::string(20 * 512, '\0')).empty());
  CHECK(shard_refusal(folder, tar_pax("comment=x", 'g') + tar_pax("size=5") + a + end).empty());
  const struct {
    std::string content;
    const char *what, *way_out;
  } cases[] = {
      {a + tar_header("b.jpg", 0, '1', "a.jpg") + end, "1024: member 'b.jpg' is a hard link",
       "make the shard with `tar --hard-dereference`"},
      {a + tar_header("b.jpg", 0, '2', "a.jpg") + end, "1024: member 'b.jpg' is a symbolic link",
       "make the shard with `tar --dereference`"},
      {a + tar_header("b.jpg", 0, '3') + end, "1024: member 'b.jpg' is a device", "leave it out"},
      {a + tar_header("b.jpg", 0, '6') + end, "1024: member 'b.jpg' is a device, a pipe",
       "leave it out"},
      {tar_member("/a.jpg", "x") + end, "0: member '/a.jpg' has a path that is absolute",
       "make the shard with relative paths"},
      {a + tar_member("b/../../a.jpg", "x") + end, "1024: member 'b/../../a.jpg' has a path",
       "make the shard with relative paths"},
      {a + end + a + end, "1536: bytes follow the end of the archive", "`tar -A`"},
      {a + std::string(2 << 20, '\0'), "1050112: more than 1 MiB of zeros", "without `tar -b`"},
      {"", "0: the file is empty", "copy or make it again"},
      {std::string("\x1f\x8b\x08\0more", 8), "0: it is compressed (gzip)", "decompress it"},
      {"no tar at all", "0: no valid tar header", "copy or make it again"},
      {a + tar_member("b.jpg", "x") + tar_member("a.cls", "1") + end,
       "2560: 'a.cls' returns to the key of byte 512", "make the shard with `tar --sort=name`"},
      {a + tar_member("a.JPG", "x") + end, "1536: 'a.JPG' comes twice",
       "only one file of each extension"},
      {a + tar_header("b.jpg", 5ull << 30) + end, "1024: member 'b.jpg' has 5368709120 bytes",
       "leave it out"},
      {a + tar_pax("size=1x") + tar_member("b.jpg", "x") + end,
       "1024: member 'b.jpg' has the size '1x' in a pax header", "make the shard again"},
      {tar_pax("size= 1") + tar_member("b.jpg", "x") + end, "0: member 'b.jpg' has the size ' 1'",
       "make the shard again"},
      {tar_pax("size=1", 'g') + a + end, "0: member 'a.jpg' has a pax header that gives all",
       "make the shard again"},
      {tar_pax("SCHILY.realsize=1") + a + end, "0: member 'a.jpg' has 'SCHILY.realsize'",
       "make the shard again"},
      {a + with_size(tar_member("b.jpg", "x"), "0000000001x") + end,
       "1024: member 'b.jpg' has the size '0000000001x\\x00', which is no octal number",
       "make the shard again"},
      {(a + tar_member("b.jpg", "xyz") + end).substr(0, 1538),
       "1024: member 'b.jpg' has 3 bytes from byte 1536 on", "copy or make it again"},
  };
  for (const auto& [content, what, way_out] : cases) {
    const auto why = shard_refusal(folder, content);
    CHECK_THAT(why, has_text("x.tar: at byte " + std::string(what)));
    CHECK_THAT(why, has_text(way_out));
  }
  const auto why = [&](const std::string& content) { return shard_refusal(folder, content); };
  CHECK_THAT(why(end), has_text("no samples in 1 shards: they have no files"));
  CHECK_THAT(why(tar_member("a.txt", "") + end),
             has_text("1 groups of files have no image, as x.tar/a"));
}

TEST_CASE("half a shard never looks whole") {
  const TemporaryFolder folder;
  const auto whole =
      tar_member("a.jpg", std::string(1000, 'a')) + tar_member("b.jpg", "b") + tar_end();
  CHECK(shard_refusal(folder, whole).empty());
  // The second block of zeros does not tell more than the first.
  CHECK(shard_refusal(folder, whole.substr(0, whole.size() - 512)).empty());
  for (std::size_t cut = 0; cut < whole.size() - 512; cut += 256) {
    INFO("cut to " << cut);
    CHECK_THAT(shard_refusal(folder, whole.substr(0, cut)), has_text("at byte "));
  }
}

TEST_CASE("a tar member of 10 GiB is refused before its bytes are read") {
  const TemporaryFolder folder;
  constexpr std::uint64_t bytes = 10ull << 30;
  const auto path = folder.write("x.tar", tar_header("a.jpg", bytes));
  std::filesystem::resize_file(path, 512 + bytes + 1024);
  CHECK_THROWS_WITH(tar_shards(path), has_text("has 10737418240 bytes; a member of 4 GiB or more"));
}

TEST_CASE("an index gives what the search for members gives") {
  const TemporaryFolder folder;
  const auto one =
      write_shard(folder, "s0.tar",
                  {tar_member("a.jpg", "a"), tar_member("a.cls", "1"), tar_member("b.jpg", "bb")});
  const auto two =
      write_shard(folder, "s1.tar", {tar_member("c.jpg", "ccc"), tar_member("d.txt", "no image")});
  const auto pattern = (folder / "s{0..1}.tar").string();
  const auto found = tar_shards(pattern);
  CHECK_THROWS_WITH(tar_shards(pattern, {.verify = true}), has_text("weir index"));
  write_index_of(pattern, (folder / "index.weir").string(), {});
  for (const auto& indexed :
       {tar_shards(folder.string(), {.verify = true}), tar_shards(pattern, {.verify = true}),
        tar_shards({one, two}, {.image = "jpg", .verify = true})}) {
    CHECK(names_of(indexed) == names_of(found));
    CHECK(indexed.fingerprint() == found.fingerprint());
    CHECK(indexed.skipped() == 1);
    for (std::uint64_t i = 0; i < found.size(); ++i) {
      CHECK(read_text(indexed, i) == read_text(found, i));
      CHECK(label_of(indexed, i) == label_of(found, i));
    }
  }
  CHECK(names_of(tar_shards(two, {.verify = true})) == std::vector<std::string>{"s1.tar/c.jpg"});
  const auto other = write_shard(folder, "s1.b.tar", {tar_member("e.jpg", "e")});
  CHECK_THROWS_WITH(
      tar_shards({one, two, other}, {.dali_index = folder.string()}),
      has_text("s1.tar and " + other + " have one index, " + (folder / "s1.idx").string()));
  for (const auto& again : {one, (folder / "x/../s0.tar").string()})
    CHECK_THROWS_WITH(tar_shards({one, again}), has_text("is given twice"));
  CHECK_THROWS_WITH(tar_shards((folder / "s{0..2}.tar").string()), has_text("s2.tar: cannot open"));
}

TEST_CASE("a wrong line of an index for DALI is named by its number") {
  const TemporaryFolder folder;
  const auto wrong = [&](const std::string& text) {
    const auto path = folder.write("x.idx", text);
    const auto said = shard_refusal(folder, tar_member("a.jpg", "a") + tar_end(),
                                    {.dali_index = folder.string()});
    return said.substr(std::min(said.size(), said.find(path) + path.size()));
  };
  CHECK(wrong("").starts_with(":1: not an index of wds2idx v1.2"));
  CHECK(wrong("v1.2 1\njpg 512").starts_with(":2: not EXTENSION OFFSET SIZE NAME"));
  CHECK(wrong("v1.2 2\njpg 512 1 a.jpg").starts_with(":2: it has 1 samples where it says 2"));
}

TEST_CASE("a flipped bit is found, with its sample") {
  const TemporaryFolder folder;
  const auto path =
      write_shard(folder, "s.tar", {tar_member("a.jpg", "aaa"), tar_member("b.jpg", "bbb")});
  const auto index = (folder / "index.weir").string();
  write_index_of(path, index, {});
  const auto wrong = [&] { return shards::wrong_checksums(shards::open_shards({index}, {}), {}); };
  CHECK(wrong().empty());
  const auto flip = [&](std::streamoff at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const auto was = static_cast<char>(file.get());
    file.seekp(at);
    file.put(static_cast<char>(was ^ 1));
  };
  flip(512 + 512 + 512 + 1);
  auto found = wrong();
  REQUIRE(found.size() == 1);
  CHECK(found[0].sample == 1);
  flip(512 + 512 + 512 + 1);
  flip(136);  // a time in a header
  found = wrong();
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].sample);
}

TEST_CASE("a checksum of parts is the one of the whole") {
  const std::string text(100'000, 'x');
  RunningChecksum sum;
  for (std::size_t at = 0; at < text.size(); at += 999)
    sum.add(
        std::as_bytes(std::span(text).subspan(at, std::min<std::size_t>(999, text.size() - at))));
  CHECK(sum.value64() == checksum_of(std::as_bytes(std::span(text))));
}

}  // namespace weir::test
