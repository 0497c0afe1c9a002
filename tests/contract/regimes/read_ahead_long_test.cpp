#include "support/catch.hpp"
#include "workload.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE("64 slow reads at once bring 90 % of 320 samples a second", "[regimes]") {
  // Reads sleep and decodes are tiny, so other programs on the machine have little effect.
  constexpr int warm = 20, batches = 200;
  constexpr double read_s = 0.2;
  auto state = std::make_shared<SlowSource::State>();
  state->delay_ms = 200;
  Options options;
  options.shape = {16, 16};
  options.batch = 32;
  options.workers = 2;
  options.io.read_ahead = 64;
  options.queue.max_queue_size = 4;
  Loader loader(SlowSource(1'000'000, little, state), options);
  auto stream = loader.stream({.epochs = std::nullopt});
  consume(stream, warm, 0);
  const auto begun = std::chrono::steady_clock::now();
  consume(stream, batches, 0);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  const auto rate = batches * options.batch / took.count(),
             possible = options.io.read_ahead / read_s;
  INFO(rate << " samples/s of " << possible);
  CHECK(rate >= 0.9 * possible);
  // A higher rate would mean more outstanding reads than requested. The two percent allow for a
  // burst at either end.
  CHECK(rate <= 1.02 * possible);
  CHECK(judge(interval(loader.report())).regime == Regime::storage);
}
