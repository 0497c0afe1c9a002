#include "shards/keys.hpp"

#include <string>
#include <vector>

#include "source/extension.hpp"
#include "support/catch.hpp"
#include "weir/error.hpp"

namespace weir::test {
namespace {

using Words = std::vector<std::string>;

std::string key_and_extension(std::string_view name) {
  const auto parts = shards::split(name);
  return parts ? std::string(parts->key) + "|" + std::string(parts->extension) : "none";
}

}  // namespace

TEST_CASE("a key ends at the first dot of the last component") {
  CHECK(key_and_extension("dog.jpg") == "dog|jpg");
  CHECK(key_and_extension("./a.b/dog.seg.png") == "./a.b/dog|seg.png");
  CHECK(key_and_extension("a/dog.") == "a/dog|");
  CHECK(key_and_extension("a.b/dog") == "none");
  CHECK(key_and_extension("a/.dog.jpg") == "none");
  CHECK(key_and_extension("") == "none");
}

TEST_CASE("the last part of an extension tells if it may be an image") {
  CHECK(source::may_be_image("jpg"));
  CHECK(source::may_be_image("seg.png"));
  CHECK_FALSE(source::may_be_image("png.txt"));
  CHECK_FALSE(source::may_be_image(""));
  CHECK(source::lower_case("SEG.Png") == "seg.png");
}

TEST_CASE("braces are ranges with their zeros, or lists") {
  using shards::expand_braces;
  CHECK(expand_braces("a.tar") == Words{"a.tar"});
  CHECK(expand_braces("s{008..010}.tar") == Words{"s008.tar", "s009.tar", "s010.tar"});
  CHECK(expand_braces("{2..0}") == Words{"2", "1", "0"});
  CHECK(expand_braces("{09..10}") == Words{"09", "10"});
  CHECK(expand_braces("{9..10}") == Words{"9", "10"});
  CHECK(expand_braces("{a,,b c}{0..1}x") == Words{"a0x", "a1x", "0x", "1x", "b c0x", "b c1x"});
  CHECK(expand_braces("{}x") == Words{"x"});
}

TEST_CASE("a pattern that cannot be read says why") {
  const auto why = [](const std::string& pattern) -> std::string {
    try {
      shards::expand_braces(pattern);
    } catch (const Error& error) {
      CHECK(error.code() == Errc::bad_options);
      return error.what();
    }
    return "";
  };
  CHECK_THAT(why("a{0..1"), has_text("without its partner"));
  CHECK_THAT(why("a}0"), has_text("without its partner"));
  CHECK_THAT(why("{a,{b,c}}"), has_text("inside of another"));
  CHECK_THAT(why("{a..b}"), has_text("FIRST..LAST"));
  CHECK_THAT(why("{0..10..2}"), has_text("FIRST..LAST"));
  CHECK_THAT(why("{0..999999999}"), has_text("more than 100000"));
  CHECK_THAT(why("{0..999}{0..999}"), has_text("more than 100000"));
  CHECK_THAT(why(std::string(5000, 'a')), has_text("4096"));
  CHECK_THAT(why("{0..99999999999999999999}"), has_text("FIRST..LAST"));
}

}  // namespace weir::test
