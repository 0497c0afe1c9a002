
#include "cli/recent.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::cli;
using namespace std::chrono_literals;
using test::Approx;

namespace {

/// The report after `s` seconds, of which the consumer waited `waited` for reads.
Report after(double s, double waited) {
  Report report;
  report.queue.seconds = s;
  report.queue.consumer_wait_s = report.queue.storage_wait_s = waited;
  report.queue.workers.decode_s = s;
  return report;
}

}  // namespace

TEST_CASE("a report is due every second", "[progress]") {
  Recent recent;
  const Recent::Instant start{};
  CHECK(recent.due(start));
  recent.add(after(0, 0), start);
  CHECK_FALSE(recent.due(start + 999ms));
  CHECK(recent.due(start + 1s));
}

TEST_CASE("what is recent is the last seconds, at first all there is", "[progress]") {
  Recent recent;
  const Recent::Instant start{};
  CHECK_FALSE(recent.interval());
  recent.add(after(0, 0), start);
  CHECK_FALSE(recent.interval());
  // Storage is the limit for ten seconds; after that there are no waits.
  for (int s = 1; s <= 10; ++s) recent.add(after(s, s), start + std::chrono::seconds(s));
  REQUIRE(recent.interval());
  CHECK(recent.interval()->seconds == Approx(5));
  CHECK(judge(*recent.interval()).regime == Regime::storage);
  for (int s = 11; s <= 16; ++s) recent.add(after(s, 10), start + std::chrono::seconds(s));
  CHECK(judge(*recent.interval()).regime == Regime::balanced);
  // Plain lines are five seconds apart. Each covers the time since the one before.
  recent.add(after(30, 24), start + 30s);
  CHECK(recent.interval()->seconds == Approx(14));
  CHECK(judge(*recent.interval()).regime == Regime::storage);
}

TEST_CASE("an interval begins with the loader if there is one report", "[progress]") {
  Recent recent;
  recent.add(after(3, 3), Recent::Instant{});
  REQUIRE(recent.interval());
  CHECK(recent.interval()->seconds == Approx(3));
}
