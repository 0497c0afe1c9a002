// What weir keeps per slab, row and thread is on the books, and grows with what is used.
#include <string>

#include "program.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/skip.hpp"

using namespace weir::test;

namespace {

using Words = std::vector<std::string>;

/// The most that may be resident beside the books with two workers: thread stacks, caches of the
/// allocator and of libraries, pages that are used in part.
constexpr std::int64_t beside_the_books = 8 << 20;
/// The same for each further thread.
constexpr std::int64_t beside_each_thread = 256 << 10;

void check(const Words& options, std::int64_t more_threads) {
  Words words{"run", "synthetic:3000,30x40", "--json", "-", "--quiet"};
  words.insert(words.end(), options.begin(), options.end());
  const auto ran = weir::test::weir(words);
  CAPTURE(ran.err);
  REQUIRE(ran.exit_code == 0);
  const auto memory = ran.json()["memory"];
  const auto& process = memory["process"];
  const auto grown =
      process["rss_peak"].get<std::int64_t>() - process["rss_before"].get<std::int64_t>();
  const auto books = memory["peak"].get<std::int64_t>();
  CAPTURE(grown, books);
  CHECK(grown <= books + beside_the_books + more_threads * beside_each_thread);
}

}  // namespace

TEST_CASE("memory grows as the books show under any depth or batch", "[program][rss]") {
  if (sanitized) return skip("a sanitizer keeps memory of its own");
  check({"--sizes", "ragged", "--batch", "1", "--max-queue-size", "1048576", "--max-queue-bytes",
         "16MiB", "--memory-budget", "64MiB"},
        0);
  check({"--sizes", "ragged", "--batch", "1048576", "--max-queue-size", "1048576"}, 0);
  check({"--size", "8x8", "--batch", "1", "--max-queue-size", "1048576", "--max-leases", "65536",
         "--trace-events", "10000000", "--trace", "/dev/null"},
        0);
  check({"--size", "8x8", "--batch", "64", "--workers", "48", "--read-ahead", "64"}, 48 + 64);
}
