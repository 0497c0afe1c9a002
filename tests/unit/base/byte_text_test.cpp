#include "base/byte_text.hpp"

#include <stdexcept>

#include "support/catch.hpp"

using namespace weir;

TEST_CASE("byte sizes take binary and decimal suffixes", "[bytes]") {
  CHECK(parse_bytes("0") == 0);
  CHECK(parse_bytes("4096") == 4096);
  CHECK(parse_bytes("12B") == 12);
  CHECK(parse_bytes("64MiB") == 64ull << 20);
  CHECK(parse_bytes("64mib") == 64ull << 20);
  CHECK(parse_bytes("64 MiB") == 64ull << 20);
  CHECK(parse_bytes("3K") == 3072);
  CHECK(parse_bytes("750kB") == 750'000);
  CHECK(parse_bytes("2GB") == 2'000'000'000);
  CHECK(parse_bytes("1.5GiB") == 3ull << 29);
  CHECK(parse_bytes("0.5KiB") == 512);
  CHECK(parse_bytes("0.0009765625KiB") == 1);
  CHECK(parse_bytes("0.0KiB") == 0);
  CHECK(parse_bytes("2TiB") == 2ull << 40);
  CHECK(parse_bytes("17.3MiB") == 18'140'364);  // 18140364.8
  CHECK(parse_bytes("18446744073709551615") == UINT64_MAX);
}

TEST_CASE("what is no number of bytes is refused", "[bytes]") {
  const auto text = GENERATE("", "MiB", "-1", "1.5", "1.5B", "1..5MiB", "64XiB", "64MiBs", "1 2",
                             "nan", "1e3", "0.0000001KiB", "0.0009765624KiB");
  CAPTURE(text);
  CHECK_THROWS_AS(parse_bytes(text), std::invalid_argument);
}

TEST_CASE("the refusal says what to write", "[bytes]") {
  CHECK_THROWS_WITH(parse_bytes("64XiB"),
                    "must be a number of bytes, as in 4096, 64MiB, 1.5GiB or 750kB");
}

TEST_CASE("too many bytes are said to be too many", "[bytes]") {
  const auto text = GENERATE("18446744073709551616", "16777216TiB", "16777216.5TiB",
                             "99999999999TiB", "100000000000000000000000000");
  CAPTURE(text);
  CHECK_THROWS_WITH(parse_bytes(text), "must be at most 18446744073709551615 bytes");
}
