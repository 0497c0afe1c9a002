#include "plan/cache_plan.hpp"
#include "plan/loader_bytes.hpp"
#include "support/catch.hpp"
#include "support/units.hpp"

using namespace weir;

namespace {

using weir::test::mib;

Options with_budget(std::optional<std::uint64_t> budget, Cache keep,
                    std::optional<std::uint64_t> max_bytes = {}) {
  Options options;
  options.workers = 2;
  options.memory.budget_bytes = budget;
  options.memory.max_sample_bytes = 8 * mib;
  options.cache = {keep, max_bytes};
  return options;
}

}  // namespace

TEST_CASE("a cache gets the remaining memory and raises no floor", "[plan][cache]") {
  const auto with = resolve(with_budget(200 * mib, Cache::encoded), 1000);
  const auto without = resolve(with_budget(200 * mib, Cache::nothing), 1000);
  CHECK(with.floor_bytes == without.floor_bytes);
  CHECK(with.max_queue_size == without.max_queue_size);
  CHECK(with.cache.bytes ==
        200 * mib - with.index_bytes - with.slabs * with.slab_bytes - 8 * mib - 2 * mib);
  CHECK(with.ceiling_bytes <= 200 * mib);
  CHECK(without.cache.bytes == 0);

  auto ahead = with_budget(200 * mib, Cache::encoded);
  ahead.io.read_ahead = 16;
  CHECK(resolve(ahead, 1000).cache.bytes ==
        with.cache.bytes - 16 * (mib + plan::reader_record_bytes));
  const auto cached = [&](std::uint64_t sample) {
    ahead.memory.max_sample_bytes = sample;
    return resolve(ahead, 1000).cache.bytes;
  };
  CHECK(cached(1000) - cached(2000) == (1 + 2 + 16) * 1000);  // reserve, workers, reads

  CHECK(resolve(with_budget(200 * mib, Cache::encoded, 5 * mib), 1000).cache.bytes == 5 * mib);
  CHECK(resolve(with_budget(with.floor_bytes, Cache::encoded), 1000).cache.bytes == 0);
  CHECK(resolve(with_budget({}, Cache::encoded, 5 * mib), 0).cache.bytes == 5 * mib);
  CHECK(resolve(with_budget(200 * mib, Cache::encoded), 1000, 100 * mib).cache.bytes ==
        with.cache.bytes - 100 * mib);
}

TEST_CASE("a cache has no tiles for rows of encoded bytes", "[plan][cache]") {
  auto options = with_budget(200 * mib, Cache::encoded, 5 * mib);
  options.cache.tiles = 16;
  CHECK(resolve(options, 0).cache.tiles == 16);
  options.decode = Decode::none;
  CHECK_THROWS_WITH(plan::check_cache(options),
                    test::has_text("`cache.tiles` = 16: with `decode` = none, leave it out"));
}

TEST_CASE("a table that does not fit leaves no cache", "[plan][cache]") {
  const auto options = with_budget({}, Cache::decoded, 8000);
  CHECK(resolve(options, 0, 0, 999).cache.bytes == 8000);
  CHECK(resolve(options, 0, 0, 999).cache.table_bytes == 8 * 999);
  CHECK(resolve(options, 0, 0, 1000).cache.bytes == 0);
  CHECK(resolve(options, 0, 0, UINT64_MAX).cache.bytes == 0);
}

TEST_CASE("a decoded row is kept if it depends on its sample alone", "[plan][cache]") {
  Options options;
  CHECK(plan::may_keep_decoded(options));
  options.fit = Fit::random;
  CHECK_FALSE(plan::may_keep_decoded(options));
  options.fit = Fit::stretch;
  options.transform.apply = [](DecodedSample&) {};
  CHECK_FALSE(plan::may_keep_decoded(options));
}
