#include "report/bytes.hpp"

#include "support/catch.hpp"

using namespace weir::report;

TEST_CASE("a byte count is written in the largest unit of at least one", "[bytes]") {
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(1023) == "1023 B");
  CHECK(human_bytes(1024) == "1.00 KiB");
  CHECK(human_bytes((1 << 20) - 1) == "1.00 MiB");
  CHECK(human_bytes(192'675'840) == "183.75 MiB");
  CHECK(human_bytes(UINT64_MAX - 1) == "16.00 EiB");
  CHECK(human_bytes(UINT64_MAX) == "no bound");
}

TEST_CASE("a difference keeps its sign", "[bytes]") {
  CHECK(human_difference(2048) == "2.00 KiB");
  CHECK(human_difference(-2048) == "-2.00 KiB");
  CHECK(human_difference(INT64_MIN) == "-8.00 EiB");
}

TEST_CASE("a figure in MiB has the two decimals of a byte count", "[bytes]") {
  CHECK(mib_figure(192'675'840) == "183.75");
  CHECK(mib_difference(-(5 << 19)) == "-2.50");
  CHECK(mib_difference(5 << 20) == "+5.00");
}

TEST_CASE("counts are grouped by thousands", "[bytes]") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(2560) == "2,560");
  CHECK(grouped(1'234'567) == "1,234,567");
}
