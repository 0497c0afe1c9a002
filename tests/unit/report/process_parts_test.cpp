#include "report/process.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <thread>

#include "support/catch.hpp"
#include "support/sanitized.hpp"

using namespace weir;

TEST_CASE("resident bytes are told apart by what they are for", "[process]") {
  std::istringstream smaps(
      "55d0c0000000-55d0c0010000 r-xp 00000000 fe:00 77   /usr/bin/weir of mine\n"
      "Size:                 64 kB\n"
      "Rss:                  40 kB\n"
      "55d0c1000000-55d0c1020000 rw-p 00000000 00:00 0    [heap]\n"
      "Rss:                   8 kB\n"
      "7f0000000000-7f0000100000 rw-p 00000000 00:00 0 \n"
      "Rss:                 100 kB\n"
      "7f0000100000-7f0004000000 ---p 00000000 00:00 0 \n"
      "Rss:                   0 kB\n"
      "7f0010000000-7f0010001000 ---p 00000000 00:00 0 \n"
      "Rss:                   0 kB\n"
      "7f0010001000-7f0010801000 rw-p 00000000 00:00 0 \n"
      "Rss:                  24 kB\n"
      "7f0020001000-7f0020901000 rw-p 00000000 00:00 0 \n"
      "Rss:                9216 kB\n"
      "7ffe00000000-7ffe00021000 rw-p 00000000 00:00 0    [stack]\n"
      "Rss:                  16 kB\n");
  const auto parts = report::parts_of(smaps, 4096);
  CHECK(parts.libraries == 40 * 1024);
  CHECK(parts.heap == 108 * 1024);
  CHECK(parts.stacks == 40 * 1024);
  CHECK(parts.pages == 9216 * 1024);
}

#if !defined(WEIR_ADDRESS_SANITIZER) && !defined(WEIR_THREAD_SANITIZER)
TEST_CASE("the stack that a thread uses is seen as one", "[process]") {
  constexpr std::size_t used = 2u << 20;
  const auto before = process_parts();
  ProcessParts during;
  std::thread([&] {
    std::array<char, used> buffer{};
    CHECK(std::ranges::count(buffer, 'x') == 0);
    during = process_parts();
  }).join();
  // The kernel may take pages back that nobody used for a while.
  CHECK(during.stacks + used / 16 >= before.stacks + used);
  CHECK(during.stacks < before.stacks + 2 * used);
  CHECK(before.libraries > 0);
}
#endif
