#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "unit/source/fixture.hpp"

namespace {

using namespace weir;
using namespace weir::test;
using Names = std::vector<std::string>;

std::string refusal_of_manifest(const std::string& path) {
  try {
    manifest(path);
  } catch (const Error& error) {
    CHECK(error.code() == Errc::source_failed);
    return error.what();
  }
  return "accepted";
}

/// Texts of manifests, and a part of what each is refused with.
using Refusals = std::vector<std::pair<std::string, std::string>>;

void check_refusals(const TemporaryFolder& folder, const Refusals& cases) {
  for (const auto& [text, message] : cases) {
    const auto refusal = refusal_of_manifest(folder.write("list.tsv", text));
    CAPTURE(text, refusal);
    CHECK(refusal.find(message) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("a manifest gives its files in its own order with its labels", "[manifest]") {
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  folder.write("data/b", "bb");
  folder.write("a", "aaa");
  elsewhere.write("c", "c");
  folder.write("list.tsv",
               "data/b\t7\na\t-1\n" + (elsewhere / "c").string() + "\t9223372036854775807\na\t0");
  const auto source = manifest((folder / "list.tsv").string());
  CHECK(names_of(source) == Names{"data/b", "a", (elsewhere / "c").string(), "a"});
  CHECK(read_text(source, 0) == "bb");
  CHECK(read_text(source, 1) == "aaa");
  CHECK(read_text(source, 2) == "c");
  CHECK(label_of(source, 0) == 7);
  CHECK(label_of(source, 1) == -1);
  CHECK(label_of(source, 2) == std::numeric_limits<std::int64_t>::max());
  CHECK(label_of(source, 3) == 0);
}

TEST_CASE("a manifest may hold CRLF, empty lines, comments and a BOM", "[manifest]") {
  const TemporaryFolder folder;
  folder.write("list.tsv",
               "\xef\xbb\xbf# path\tlabel\r\n\r\na b\t1\r\n\n./#c\t2\r\nd\te\t3\n#f\t4");
  CHECK(names_of(manifest((folder / "list.tsv").string())) == Names{"a b", "./#c", "d\te"});
}

TEST_CASE("a bad line is refused by its number and its fault", "[manifest]") {
  const TemporaryFolder folder;
  const Refusals cases{
      {"a\t1\nb 2\n", "list.tsv:2: 'b 2' has no TAB; each line of a manifest is path<TAB>label"},
      {"a\t1\n\n\t2\n", "list.tsv:3: the path is empty"},
      {"a\tone\n",
       "list.tsv:1: the label is not a whole number of 64 bits: 'one'; give each class a number"},
      {"a\t1 \n", "list.tsv:1: the label is not"},
      {"a\t\n", "list.tsv:1: the label is not"},
      {"a\t1.5\n", "list.tsv:1: the label is not"},
      {"a\t9223372036854775808\n", "list.tsv:1: the label is not"},
      {std::string("a\0b\t1\n", 6), "list.tsv:1: a NUL byte"},
      {"a\t\x1b[31m\n", "'\\x1b[31m'"}};
  check_refusals(folder, cases);
}

TEST_CASE("a header line names planes, which have columns", "[manifest][planes]") {
  const TemporaryFolder folder;
  folder.write("a", "image a");
  folder.write("m/a", "mask a");
  folder.write("d", "depth");
  const auto list = folder.write("list.tsv",
                                 "\xef\xbb\xbf# a comment\npath\tlabel\tmask\tdepth\r\n"
                                 "a\t7\tm/a\t\r\n\na\t-1\t\td\na\t2\tgone\td");
  const auto source = manifest(list);
  CHECK(source.planes() == Names{"mask", "depth"});
  CHECK(names_of(source) == Names{"a", "a", "a"});
  CHECK(source.plane_name(0, 0) == "m/a");
  CHECK(source.plane_name(0, 1).empty());
  CHECK(source.plane_name(2, 1) == "d");
  const auto parts = [&](std::uint64_t i, std::initializer_list<std::size_t> wanted) {
    MemorySink sink;
    sink.want(wanted);
    const auto sample = source.read(i, sink);
    CHECK(sample.planes.size() == 2);
    return text_of(sample) + '+' + text_of({.bytes = sample.planes[0]}) + '+' +
           text_of({.bytes = sample.planes[1]});
  };
  CHECK(parts(0, {0, 1}) == "image a+mask a+");
  CHECK(parts(1, {0, 1}) == "image a++depth");
  CHECK(parts(2, {1}) == "image a++depth");
  CHECK(label_of(source, 0) == 7);
  CHECK(label_of(source, 1) == -1);
  const auto fault = refusal_of(source, 2).value();
  CHECK(fault.kind == FaultKind::io);
  CHECK(fault.reason.starts_with(
      "plane mask: gone: cannot open: No such file or directory; entry 3 of"));
  CHECK(source.index_bytes() <= 1200);
  // A header may have no planes. A line that ends with a number is none.
  CHECK(manifest(folder.write("plain.tsv", "path\tlabel\na\t3\n")).planes().empty());
  const auto old = manifest(folder.write("old.tsv", "path\tb\t1\npath\t2\n"));
  CHECK(names_of(old) == Names{"path\tb", "path"});
}

TEST_CASE("a bad header or column is refused by its line", "[manifest][planes]") {
  const TemporaryFolder folder;
  const Refusals cases{
      {"path\tmask\tlabel\n", "list.tsv:1: the second column of a header is 'label', not 'mask'"},
      {"#\npath\tlabel\tMask\n", "list.tsv:2: column 3 is 'Mask': the name of a plane has 1 to 32"},
      {"path\tlabel\ta\ta\n", "list.tsv:1: column 4 is 'a': there is a plane of this name"},
      {"path\tlabel\timage\n", "list.tsv:1: column 3 is 'image': this is the name of the image"},
      {"path\tlabel\t\n", "list.tsv:1: column 3 is '': the name"},
      {"path\tlabel\ta\tb\tc\td\te\tf\tg\th\n", "column 10 is 'h': a sample has at most 7 planes"},
      {"path\tlabel\tmask\na\t1\tm\n\na\t1\n", "list.tsv:4: has 2 columns and the header 3"},
      {"path\tlabel\tmask\na\tb\t1\tm\n", "list.tsv:2: has 4 columns and the header 3"},
      {"path\tlabel\tmask\na\tm\t1\n", "list.tsv:2: the label is not a whole number"},
      {"path\tlabel\tmask\n\t1\tm\n", "list.tsv:2: the path is empty"},
      {"path\tlabel\tmask\n", "no samples: 1 lines, each empty, a comment or the header"},
      {"a\t1\npath\tlabel\tmask\n", "list.tsv:2: the label is not a whole number"}};
  check_refusals(folder, cases);
}

TEST_CASE("a manifest that is no file is refused", "[manifest]") {
  const TemporaryFolder folder;
  CHECK(refusal_of_manifest((folder / "none").string()).find("cannot open: No such file") !=
        std::string::npos);
  CHECK(refusal_of_manifest((folder / "no/where").string()).find("its folder") !=
        std::string::npos);
  CHECK(refusal_of_manifest(folder.string()).find("not a regular file") != std::string::npos);
  CHECK(refusal_of_manifest("/dev/zero").find("not a regular file") != std::string::npos);
}

TEST_CASE("a listed file that is missing is a fault of its own", "[manifest]") {
  const TemporaryFolder folder;
  folder.write("here", "x");
  folder.write("list.tsv", "gone\t0\nhere\t1\n/dev/null\t2\nhere\t1\t3\n");
  const auto source = manifest((folder / "list.tsv").string());
  CHECK(refusal_of(source, 0).value().kind == FaultKind::io);
  CHECK(read_text(source, 1) == "x");
  CHECK(refusal_of(source, 2).value().kind == FaultKind::unsupported);
  const auto gone = refusal_of(source, 0).value().reason,
             tab = refusal_of(source, 3).value().reason;
  CHECK(gone.find("No such file or directory; entry 1 of ") != std::string::npos);
  CHECK(gone.find("list.tsv, whose relative paths begin at its folder") != std::string::npos);
  CHECK(tab.find("; only the last TAB of a line ends the path") != std::string::npos);
}

TEST_CASE("a manifest holds its text and 16 bytes a line", "[manifest]") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "images/" + std::to_string(i) + ".jpg\t3\n";
  folder.write("list.tsv", text);
  const auto source = manifest((folder / "list.tsv").string());
  REQUIRE(source.size() == 1000);
  CHECK(source.index_bytes() >= text.size() + 16'000);
  CHECK(source.index_bytes() <= text.size() + 16'000 + 400);
}
