#include "source/name_list.hpp"

#include "support/catch.hpp"
#include "unit/source/fixture.hpp"

namespace {

using namespace weir;
using namespace weir::test;

AnySource letters() {
  std::vector<MemorySample> samples;
  for (const char c : std::string("abcdefg"))
    samples.push_back({std::string(1, c), std::vector<std::byte>(3, static_cast<std::byte>(c)), c});
  return in_memory(std::move(samples), {"one class"});
}

std::string joined(const AnySource& source) {
  std::string names;
  for (std::uint64_t i = 0; i < source.size(); ++i) names += source.name(i);
  return names;
}

}  // namespace

TEST_CASE("a list of names keeps every byte of its names", "[names]") {
  const std::vector<std::string> names{"a/b.jpg",        "tab\tand blank .jpg",
                                       "back\\slash\\n", "new\nline",
                                       "return\r",       "\xff\xfe",
                                       "#hash",          "\\"};
  std::string text;
  for (const auto& name : names) text += source::name_line(name);
  CHECK(text.substr(0, 8) == "a/b.jpg\n");
  const TemporaryFolder folder;
  folder.write("list", text);
  CHECK(source::read_name_list(folder / "list") == names);
  folder.write("windows", "a\r\n\r\n\nb");
  CHECK(source::read_name_list(folder / "windows") == std::vector<std::string>{"a", "b"});
  folder.write("wrong", "a\nb\\x\n");
  CHECK_THROWS_WITH(source::read_name_list(folder / "wrong"), has_text("wrong:2: "));
  CHECK_THROWS_WITH(source::read_name_list(folder / "none"), has_text("No such file"));
}

TEST_CASE("a source without some samples has the others in their order", "[names]") {
  const auto left = [](std::vector<std::string> names) {
    return joined(source::without(letters(), std::move(names)).source);
  };
  CHECK(left({}) == "abcdefg");
  CHECK(left({"a"}) == "bcdefg");
  CHECK(left({"g", "a", "g"}) == "bcdef");
  CHECK(left({"c", "d", "e"}) == "abfg");
  CHECK(left({"a", "b", "c", "d", "e", "f", "g"}) == "");
  const auto some = source::without(letters(), {"b", "zebra", "yak"});
  CHECK(some.unknown == 2);
  CHECK(some.first_unknown == "yak");
  CHECK(read_text(some.source, 1) == "ccc");
  MemorySink sink;
  CHECK(some.source.read(1, sink).label == 'c');
  CHECK(some.source.encoded_bytes(5) == letters().encoded_bytes(6));
  CHECK(some.source.class_names() == letters().class_names());
  CHECK(some.source.index_bytes() > letters().index_bytes());
}
