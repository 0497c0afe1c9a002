#include "base/sanitize.hpp"

#include <string>
#include <string_view>

#include "support/catch.hpp"

using weir::sanitize;
using namespace std::string_view_literals;

TEST_CASE("printable text passes through unchanged") {
  CHECK(sanitize("") == "");
  CHECK(sanitize("a b/c~.jpg") == "a b/c~.jpg");
  CHECK(sanitize("\u00a0\u00f1\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff") ==
        "\u00a0\u00f1\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff");
}

TEST_CASE("control bytes come out as hexadecimal escapes") {
  CHECK(sanitize("a\nb\tc\0d"sv) == R"(a\x0ab\x09c\x00d)");
  CHECK(sanitize("\x1b[31mred\x7f") == R"(\x1b[31mred\x7f)");
  CHECK(sanitize("`batch`") == R"(\x60batch\x60)");
  CHECK(weir::sanitize_message("`batch`\n") == R"(`batch`\x0a)");
}

TEST_CASE("what ends a line or turns its direction is escaped") {
  CHECK(sanitize("a\u202egpj.exe") == R"(a\xe2\x80\xaegpj.exe)");
  CHECK(sanitize("\u2028\u2066") == R"(\xe2\x80\xa8\xe2\x81\xa6)");
  CHECK(sanitize("\u2027\u202f\u2065\u206a") == "\u2027\u202f\u2065\u206a");
}

TEST_CASE("C1 controls hidden in UTF-8 are escaped") {
  CHECK(sanitize("\xc2\x80") == R"(\xc2\x80)");
  CHECK(sanitize("\xc2\x9b"
                 "31m") == R"(\xc2\x9b31m)");
}

TEST_CASE("bytes that are not well-formed UTF-8 are escaped one by one") {
  CHECK(sanitize("\x80") == R"(\x80)");
  CHECK(sanitize("\xff\xfe") == R"(\xff\xfe)");
  CHECK(sanitize("\xc3(") == R"(\xc3()");
  CHECK(sanitize("\xe7\x8c") == R"(\xe7\x8c)");
  CHECK(sanitize("\xf0\x9f\x90") == R"(\xf0\x9f\x90)");
}

TEST_CASE("overlong, surrogate and non-Unicode code points are escaped") {
  CHECK(sanitize("\xc0\xaf") == R"(\xc0\xaf)");
  CHECK(sanitize("\xe0\x9f\xbf") == R"(\xe0\x9f\xbf)");
  CHECK(sanitize("\xed\xa0\x80") == R"(\xed\xa0\x80)");
  CHECK(sanitize("\xf0\x8f\xbf\xbf") == R"(\xf0\x8f\xbf\xbf)");
  CHECK(sanitize("\xf4\x90\x80\x80") == R"(\xf4\x90\x80\x80)");
  CHECK(sanitize("\xf5\x80\x80\x80") == R"(\xf5\x80\x80\x80)");
}

TEST_CASE("a cut is marked and never splits a character") {
  CHECK(sanitize("abcd", 4) == "abcd");
  CHECK(sanitize("abcde", 4) == "abcd…");
  CHECK(sanitize("abc猫", 6) == "abc猫");
  CHECK(sanitize("abc猫", 5) == "abc…");
  CHECK(sanitize("abc猫", 4) == "abc…");
  CHECK(sanitize("abc", 0) == "…");
}

TEST_CASE("any byte of a message becomes printable ASCII or stays") {
  for (int value = 0; value < 256; ++value) {
    const std::string text(1, static_cast<char>(value));
    const bool printable = value >= 0x20 && value < 0x7f;
    CAPTURE(value);
    CHECK((weir::sanitize_message(text) == text) == printable);
    CHECK(weir::sanitize_message(text).size() == (printable ? 1u : 4u));
  }
}
