#include "shards/index.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "shards/tar_shards.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"
#include "unit/source/fixture.hpp"
#include "weir/error.hpp"
#include "weir/shards.hpp"

namespace weir::test {
namespace {

using shards::Index;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Two shards with the given content, cut into samples of three bytes at offset 1, 4, 7, …
Index make_index(const TemporaryFolder& folder, const std::vector<std::string>& contents) {
  Index index;
  for (std::uint32_t s = 0; s < contents.size(); ++s) {
    const auto& content = contents[s];
    const auto name = "s" + std::to_string(s) + ".tar";
    folder.write(name, content);
    RunningChecksum sum;
    sum.add(bytes_of(content));
    index.shards.push_back({.name = name,
                            .bytes = content.size(),
                            .first = index.samples.size(),
                            .checksum = sum.value()});
    for (std::size_t at = 1; at + 3 <= content.size(); at += 3)
      index.samples.push_back(
          {.offset = at,
           .name = index.add_name("m" + std::to_string(at) + ".jpg"),
           .label = static_cast<std::int64_t>(at) - 5,
           .checksum = checksum_of(bytes_of(std::string_view(content).substr(at, 3))),
           .bytes = 3,
           .shard = s,
           .height = 20,
           .width = 30});
  }
  index.skipped = 2;
  return index;
}

std::string contents_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What a file with this content is refused with; "" if it is read.
std::string refusal(const TemporaryFolder& folder, const std::string& content) {
  const auto path = folder.write("damaged/index.weir", content);
  try {
    shards::read_index(path);
  } catch (const Error& error) {
    CHECK(error.code() == Errc::source_failed);
    return error.what();
  }
  return "";
}

/// The refusal of an index that was written with a wrong field.
template <class Change>
std::string refusal_of_changed(const TemporaryFolder& folder, const Change& change) {
  auto index = make_index(folder, {"xabcdef", "yuvw"});
  change(index);
  shards::write_index((folder / "changed.weir").string(), index);
  return refusal(folder, contents_of((folder / "changed.weir").string()));
}

}  // namespace

TEST_CASE("an index is read as it was written") {
  const TemporaryFolder folder;
  const auto index = make_index(folder, {"xabcdef", "yuvw"});
  const auto path = (folder / "index.weir").string();
  shards::write_index(path, index);
  CHECK_FALSE(std::filesystem::exists(path + ".part"));
  const auto read = shards::read_index(path);
  CHECK(read.skipped == 2);
  CHECK(read.label == "cls");
  REQUIRE(read.shards.size() == 2);
  CHECK(read.shards[1].name == "s1.tar");
  CHECK(read.shards[1].first == 2);
  CHECK(read.shards[0].checksum == index.shards[0].checksum);
  REQUIRE(read.samples.size() == 3);
  CHECK(std::string(read.name(read.samples[1])) == "m4.jpg");
  CHECK(read.samples[1].label == -1);
  CHECK(read.held_bytes() < 3 * 48 + 2 * sizeof(shards::Shard) + 64);
}

TEST_CASE("an index is refused if one byte differs or it is cut short") {
  const TemporaryFolder folder;
  const auto path = (folder / "index.weir").string();
  shards::write_index(path, make_index(folder, {"xabcdef", "yuvw"}));
  const auto whole = contents_of(path);
  CHECK(refusal(folder, whole).empty());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    INFO("byte " << at);
    CHECK_FALSE(refusal(folder, damaged).empty());
    CHECK_FALSE(refusal(folder, whole.substr(0, at)).empty());
  }
  CHECK_THAT(refusal(folder, whole + 'x'), has_text("weir index"));
}

TEST_CASE("an index that says more than memory holds is refused by name") {
  const TemporaryFolder folder;
  const auto path = (folder / "index.weir").string();
  Index index;
  index.shards.push_back({.name = "s.tar", .bytes = 9});
  index.samples.push_back({.offset = 1, .name = 1, .bytes = 1});
  index.add_name(std::string(5 << 20, 'x'));
  // Makes the number at byte `at` of the header so large, with a hole from `hole` on.
  const auto refusal_of_more = [&](std::streamoff at, std::uint64_t row_bytes, std::uint64_t hole) {
    shards::write_index(path, index);
    auto bytes = std::filesystem::file_size(path);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    std::uint64_t number = 0;
    const auto more = (std::uint64_t{1} << 43) / row_bytes;
    file.seekg(at).read(reinterpret_cast<char*>(&number), sizeof number);
    number += more;
    file.seekp(at).write(reinterpret_cast<const char*>(&number), sizeof number);
    file.close();
    std::filesystem::resize_file(path, hole);
    std::filesystem::resize_file(path, bytes + more * row_bytes);
    try {
      shards::read_index(path);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(refusal_of_more(24, 48, 64 + 48),
             has_text("index " + path + ": sample 0 has no name"));
  // A sanitizer ends the process where memory does not suffice.
  if (!sanitized)
    CHECK_THAT(refusal_of_more(32, 1, 64 + 48 + 48 + (5 << 20)), has_text("index " + path + ": "));
}

TEST_CASE("an index with a right checksum and a wrong field is refused") {
  const TemporaryFolder folder;
  const auto why = [&](const auto& change) { return refusal_of_changed(folder, change); };
  CHECK(why([](Index&) {}).empty());
  CHECK_THAT(why([](Index& i) { i.samples[1].bytes = 4; }), has_text("outside of its shard"));
  CHECK_THAT(why([](Index& i) { i.samples[1].offset = 3; }), has_text("overlaps"));
  CHECK_THAT(why([](Index& i) { i.samples[1].offset = UINT64_MAX; }), has_text("outside"));
  CHECK_THAT(why([](Index& i) { i.samples[2].shard = 2; }), has_text("wrong shard"));
  CHECK_THAT(why([](Index& i) { i.samples[1].shard = 1; }), has_text("range of its shard"));
  CHECK_THAT(why([](Index& i) { i.samples[0].width = 0; }), has_text("half a size"));
  CHECK_THAT(why([](Index& i) { i.samples[0].reserved = 1; }), has_text("reserved"));
  CHECK_THAT(why([](Index& i) { i.samples[0].name += 1; }), has_text("outside of the names"));
  CHECK_THAT(why([](Index& i) { i.samples[0].name = 0; }), has_text("has no name"));
  CHECK_THAT(why([](Index& i) { i.shards[1].first = 4; }), has_text("shard"));
  CHECK_THAT(why([](Index& i) { i.shards[1].name = "s0.tar"; }), has_text("name of its own"));
  CHECK_THAT(why([](Index& i) { i.shards[1].name = "a/../../s"; }), has_text("below"));
  CHECK_THAT(why([](Index& i) { i.shards[1].name = "/etc/passwd"; }), has_text("below"));
}

TEST_CASE("a folder with an index is a source") {
  const TemporaryFolder folder;
  auto index = make_index(folder, {"xabcdef", "yuvw"});
  index.samples[1].checksum ^= 1;
  shards::write_index((folder / "index.weir").string(), index);
  const auto source = tar_shards(folder.string());
  CHECK(names_of(source) ==
        std::vector<std::string>{"s0.tar/m1.jpg", "s0.tar/m4.jpg", "s1.tar/m1.jpg"});
  CHECK(read_text(source, 1) == "def");
  CHECK(label_of(source, 2) == -4);
  CHECK(source.encoded_bytes(0) == 3);
  CHECK(source.image_size(0) == ImageSize{20, 30});
  CHECK(source.skipped() == 2);
  const auto verified = tar_shards((folder / "index.weir").string(), {.verify = true});
  CHECK(verified.fingerprint() == source.fingerprint());
  CHECK(read_text(verified, 0) == "abc");
  const auto refused = refusal_of(verified, 1);
  REQUIRE(refused);
  CHECK(refused->kind == FaultKind::corrupt);
  CHECK_THAT(refused->reason, has_text("byte 4 of the shard"));
  folder.write("s1.tar", "yuvw and more");
  CHECK_THROWS_WITH(tar_shards(folder.string()), has_text("s1.tar has 13 bytes where"));
}

}  // namespace weir::test
