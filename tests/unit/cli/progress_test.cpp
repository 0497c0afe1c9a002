#include "cli/progress.hpp"

#include "support/catch.hpp"

using namespace weir;
using namespace weir::cli;
using std::chrono::duration;

namespace {

Snapshot at_work() {
  Snapshot now;
  now.ready = 3;
  now.samples.consumed = 2000;
  now.memory.live = 45ull << 20;
  return now;
}

Plan four_deep() {
  Plan plan;
  plan.max_queue_size = 4;
  plan.budget_bytes = 64ull << 20;
  return plan;
}

}  // namespace

TEST_CASE("progress says queue, pace, bytes and time left", "[progress]") {
  CHECK(progress_line(at_work(), four_deep(), duration<double>(2), 14'000, "verify") ==
        "verify: [###-] 3/4 ready, 1,000 samples/s, 45.00 MiB of 64.00 MiB, 12 s left");
}

TEST_CASE("pace, readiness and regime are those of the last seconds", "[progress]") {
  Window recent;
  recent.seconds = 4;
  recent.samples = 2000;
  recent.data_readiness = 0.876;
  recent.consumer_wait_s = recent.prep_stall_s = 3;
  recent.workers.decode_s = 4;
  CHECK(progress_line(at_work(), four_deep(), duration<double>(2), 14'000, "", recent) ==
        "[###-] 3/4 ready, 500 samples/s, readiness 88 %, regime decode, 45.00 MiB of 64.00 MiB, "
        "12 s left");
}

TEST_CASE("without a bound or an end progress does not invent them", "[progress]") {
  auto plan = four_deep();
  plan.budget_bytes = UINT64_MAX;
  CHECK(progress_line(at_work(), plan, duration<double>(2), std::nullopt, "") ==
        "[###-] 3/4 ready, 1,000 samples/s, 45.00 MiB");
}

TEST_CASE("long waits are told in minutes and hours", "[progress]") {
  CHECK(progress_line(at_work(), four_deep(), duration<double>(2000), 2'000 + 125, "") ==
        "[###-] 3/4 ready, 1 samples/s, 45.00 MiB of 64.00 MiB, 2:05 min left");
  CHECK(progress_line(at_work(), four_deep(), duration<double>(2000), 2'000 + 7260, "") ==
        "[###-] 3/4 ready, 1 samples/s, 45.00 MiB of 64.00 MiB, 2:01 h left");
}

TEST_CASE("before the first sample, and past the goal, there is no nonsense", "[progress]") {
  auto now = at_work();
  CHECK(progress_line(now, four_deep(), duration<double>(2), 10, "") ==
        "[###-] 3/4 ready, 1,000 samples/s, 45.00 MiB of 64.00 MiB, 0 s left");
  now.samples.consumed = 0;
  CHECK(progress_line(now, four_deep(), duration<double>(0), 10, "") ==
        "[###-] 3/4 ready, 0 samples/s, 45.00 MiB of 64.00 MiB");
}

TEST_CASE("a deep queue's bar keeps its width", "[progress]") {
  auto plan = four_deep();
  plan.max_queue_size = 64;
  auto now = at_work();
  now.ready = 32;
  CHECK(progress_line(now, plan, duration<double>(2), std::nullopt, "")
            .starts_with("[########--------] 32/64"));
}

TEST_CASE("the goal is the epochs, the steps, or the smaller of the two", "[progress]") {
  Settings settings;
  settings.options.batch = 32;
  CHECK(samples_to_consume(settings, 200) == 200u);
  settings.epochs = 12;
  CHECK(samples_to_consume(settings, 200) == 2400u);
  settings.options.drop_last = true;
  CHECK(samples_to_consume(settings, 200) == 12u * 192);
  settings.steps = 10;
  CHECK(samples_to_consume(settings, 200) == 320u);
  settings.epochs.reset();
  CHECK(samples_to_consume(settings, 200) == 320u);
  settings.epochs.reset();
  settings.steps = UINT64_MAX;
  CHECK(samples_to_consume(settings, 200) == std::nullopt);
}
