#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/sanitized.hpp"

using namespace weir;
using namespace weir::test;

#if !defined(WEIR_ADDRESS_SANITIZER) && !defined(WEIR_THREAD_SANITIZER)

TEST_CASE("a second run leaves no more behind than the first", "[api][rss]") {
  const auto photos = test_data("photos");
  Options options;
  options.batch = 16;
  options.workers = 4;
  options.io.read_ahead = 4;
  options.order = Order::shuffle();
  const auto run = [&] {
    Loader loader(photos ? image_folder(*photos) : synthetic(100, {375, 500}, 3), options);
    auto stream = loader.stream({.epochs = 2});
    while (stream.next()) {
    }
    return loader.snapshot().memory.peak;
  };
  REQUIRE(run() > 8u << 20);
  const auto after_first = process_memory().rss;
  run();
  CHECK(process_memory().rss <= after_first + (1u << 20));
}

#endif
