#include "cli/progress.hpp"

#include "cli/recent.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"
#include "weir/source.hpp"

using namespace weir;
using namespace weir::cli;
using std::chrono::duration;
using weir::test::contains;

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

constexpr Screen plain{};

Screen terminal(std::size_t columns) { return {.live = true, .columns = columns}; }

/// The whole line, as in output that is not a terminal.
std::string line(const Snapshot& now, const Plan& plan, duration<double> elapsed,
                 std::optional<std::uint64_t> goal, const std::string& label,
                 const std::optional<Interval>& recent = {}) {
  auto text =
      shown(progress_line(now, plan, plan.max_queue_size, elapsed, goal, label, recent), plain);
  REQUIRE(text.ends_with('\n'));
  text.pop_back();
  return text;
}

Interval last_seconds() {
  Interval recent;
  recent.seconds = 4;
  recent.samples = 4936;
  recent.data_readiness = 0.98;
  recent.workers.idle_s = recent.workers.decode_s = 4;
  return recent;
}

/// A line with every field: 111 columns, 119 with a label.
ProgressLine full(const std::string& label = "") {
  auto plan = four_deep();
  plan.max_queue_size = 16;
  auto now = at_work();
  now.ready = 12;
  return progress_line(now, plan, 16, duration<double>(2), 14'000, label, last_seconds());
}

}  // namespace

TEST_CASE("progress says queue, pace, bytes and time left", "[progress]") {
  CHECK(line(at_work(), four_deep(), duration<double>(2), 14'000, "verify") ==
        "verify: [###-] 3/4 ready, 1,000 samples/s, 45.00 of 64.00 MiB, 12 s left");
}

TEST_CASE("pace, readiness and regime are those of the last seconds", "[progress]") {
  Interval recent;
  recent.seconds = 4;
  recent.samples = 2000;
  recent.data_readiness = 0.876;
  recent.consumer_wait_s = recent.decode_wait_s = 3;
  recent.workers.decode_s = 4;
  CHECK(line(at_work(), four_deep(), duration<double>(2), 14'000, "", recent) ==
        "[###-] 3/4 ready, 500 samples/s, readiness 88 %, regime decode, 45.00 of 64.00 MiB, "
        "12 s left");
}

TEST_CASE("a second passes before lines show the last seconds", "[progress]") {
  Options options;
  options.workers = 1;
  Loader loader(synthetic(4, {8, 8}), options);
  auto stream = loader.stream();
  REQUIRE(stream.next());
  const Clock::time_point start{};
  const auto shows = [&](Recent& recent, std::chrono::milliseconds after) {
    recent.look(loader, start + after);
    return recent.interval().has_value();
  };
  using std::chrono::milliseconds;
  Recent live(start), plain_lines(start);
  CHECK_FALSE(shows(live, milliseconds(100)));
  CHECK_FALSE(shows(live, milliseconds(1099)));
  CHECK(shows(live, milliseconds(1100)));
  CHECK(shows(plain_lines, milliseconds(5000)));
}

TEST_CASE("without a bound or an end progress does not invent them", "[progress]") {
  auto plan = four_deep();
  plan.budget_bytes.reset();
  CHECK(line(at_work(), plan, duration<double>(2), std::nullopt, "") ==
        "[###-] 3/4 ready, 1,000 samples/s, 45.00 MiB");
}

TEST_CASE("long waits are told in minutes and hours", "[progress]") {
  CHECK(line(at_work(), four_deep(), duration<double>(2000), 2'000 + 125, "") ==
        "[###-] 3/4 ready, 1.0 samples/s, 45.00 of 64.00 MiB, 2:05 min left");
  CHECK(line(at_work(), four_deep(), duration<double>(2000), 2'000 + 7260, "") ==
        "[###-] 3/4 ready, 1.0 samples/s, 45.00 of 64.00 MiB, 2:01 h left");
}

TEST_CASE("a low pace has a decimal and no pace is cut", "[progress]") {
  const auto pace = [](double seconds) {
    return line(at_work(), four_deep(), duration<double>(seconds), std::nullopt, "");
  };
  CHECK(contains(pace(800), " 2.5 samples/s"));
  CHECK(contains(pace(201), " 10 samples/s"));
  CHECK(contains(pace(20.1), " 100 samples/s"));
}

TEST_CASE("a progress line makes sense at the start and past the goal", "[progress]") {
  auto now = at_work();
  CHECK(line(now, four_deep(), duration<double>(2), 10, "") ==
        "[###-] 3/4 ready, 1,000 samples/s, 45.00 of 64.00 MiB, 0 s left");
  now.samples.consumed = 0;
  CHECK(line(now, four_deep(), duration<double>(0), 10, "") ==
        "[###-] 3/4 ready, 0.0 samples/s, 45.00 of 64.00 MiB");
}

TEST_CASE("progress counts rows if rows may be blank or have partners", "[progress]") {
  Options options;
  options.faults.policy = OnFault::blank;
  auto plan = resolve(options, 0);
  auto now = at_work();
  now.samples.failed = 1000;
  CHECK(contains(line(now, plan, duration<double>(3), 3'300, ""), " 1,000 rows/s, "));
  CHECK(line(now, plan, duration<double>(3), 3'000, "").ends_with(", 0 s left"));
  plan = four_deep();
  plan.partners = 3;
  CHECK(contains(line(now, plan, duration<double>(2), 14'000, ""), " 1,000 rows/s, "));
}

TEST_CASE("a deep queue's bar keeps its width", "[progress]") {
  auto plan = four_deep();
  plan.max_queue_size = 64;
  auto now = at_work();
  now.ready = 32;
  CHECK(line(now, plan, duration<double>(2), std::nullopt, "")
            .starts_with("[########--------] 32/64"));
}

TEST_CASE("a line that is no terminal's has every field and ends there", "[progress]") {
  CHECK(shown(full("verify"), plain) ==
        "verify: [############----] 12/16 ready, 1,234 samples/s, readiness 98 %, regime consumer, "
        "45.00 of 64.00 MiB, 12 s left\n");
  CHECK(shown(full("verify"), {.live = false, .columns = 40}) == shown(full("verify"), plain));
}

TEST_CASE("a terminal's line replaces the last one and fits the width", "[progress]") {
  const auto text = [](const ProgressLine& line, std::size_t columns) {
    auto written = shown(line, terminal(columns));
    REQUIRE(written.starts_with('\r'));
    REQUIRE(written.ends_with("\x1b[K"));
    written = written.substr(1, written.size() - 4);
    CHECK(written.size() < columns);
    return written;
  };
  const std::string whole =
      "[############----] 12/16 ready, 1,234 samples/s, readiness 98 %, regime consumer, 45.00 of "
      "64.00 MiB, 12 s left";
  CHECK(text(full(), 120) == whole);
  CHECK(text(full("verify"), 120) == "verify: " + whole);
  // Whole fields are left out, the least important first. Budget and remaining time stay.
  CHECK(
      text(full("verify"), 119) ==
      "verify: 12/16 ready, 1,234 samples/s, readiness 98 %, regime consumer, 45.00 of 64.00 MiB, "
      "12 s left");
  for (const auto* label : {"", "verify"})
    CHECK(text(full(label), 80) ==
          "12/16 ready, 1,234 samples/s, regime consumer, 45.00 of 64.00 MiB, 12 s left");
  CHECK(text(full(), 76) == "1,234 samples/s, regime consumer, 45.00 of 64.00 MiB, 12 s left");
  CHECK(text(full(), 50) == "1,234 samples/s, 45.00 of 64.00 MiB, 12 s left");
  CHECK(text(full(), 30) == "1,234 samples/s, 12 s left");
  CHECK(text(full(), 20) == "1,234 samples/s");
  CHECK(text(full(), 8) == "1,234 s");
}

TEST_CASE("bytes of another unit than the budget's keep theirs", "[progress]") {
  auto now = at_work();
  now.memory.live = 512 << 10;
  CHECK(line(now, four_deep(), duration<double>(2), std::nullopt, "")
            .ends_with("512.00 KiB of 64.00 MiB"));
}

TEST_CASE("the queue shown is the one in force, not the plan's bound", "[progress]") {
  auto plan = four_deep();
  plan.max_queue_size = 64;
  const auto of = [&](const Snapshot& now, std::uint32_t queue) {
    return shown(progress_line(now, plan, queue, duration<double>(2), std::nullopt, ""), plain);
  };
  CHECK(of(at_work(), 4).starts_with("[###-] 3/4 ready, "));
  // For a moment after the queue became smaller.
  CHECK(of(at_work(), 2).starts_with("[##] 3/2 ready, "));
}

TEST_CASE("the goal is the epochs, the steps, or the smaller of the two", "[progress]") {
  Settings settings;
  settings.options.batch = 32;
  const auto goal = [&] { return samples_to_consume(settings, Ranks::given(1, 4), 800); };
  CHECK(goal() == 200);
  settings.epochs = 12;
  CHECK(goal() == 2400);
  // An epoch has seven steps, and this rank 8 samples in its last.
  settings.steps = 10;
  CHECK(goal() == 200 + 3 * 32);
  settings.epochs.reset();
  CHECK(goal() == 200 + 3 * 32);
  settings.steps = UINT64_MAX;
  CHECK(goal() == UINT64_MAX);
  // Two epochs are finished, and half of the third.
  settings.steps.reset();
  settings.epochs = 12;
  settings.resume = weir::Progress{.fingerprint = {}, .samples = 800};
  settings.resume->epochs = {{.first = 2, .end = 800, .done = {{.first = 0, .end = 400}}}};
  CHECK(goal() == 100 + 9 * 200);
  // The rest of the third epoch has four steps.
  settings.steps = 3;
  CHECK(goal() == 96);
  settings.steps = 4 + 7 + 1;
  CHECK(goal() == 100 + 200 + 32);
}
