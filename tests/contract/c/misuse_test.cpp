#include "contract/c/misuse.hpp"

#include <atomic>
#include <thread>

#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "weir/c.hpp"

TEST_CASE("misuse of the C interface ends in an error") {
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    weir::test::misuse(weir::test::thinned(1500), seed);
}

TEST_CASE("a second thread in weir_next gets an error") {
  weir_c::Loader loader("synthetic:8,16x16", "batch=2,shape=8x8,workers=1");
  loader.start();
  weir_c::Batch held;
  REQUIRE(loader.next(held));
  std::atomic<int> misuses = 0;
  // Both wait for the only lease. One of them is refused.
  const auto wait = [&] {
    weir_c::Batch batch;
    while (misuses == 0) try {
        loader.next(batch, 20);
      } catch (const weir_c::Error& e) {
        CHECK(e.code() == WEIR_MISUSE);
        ++misuses;
      }
  };
  std::thread other(wait);
  wait();
  other.join();
  CHECK(misuses > 0);
}
