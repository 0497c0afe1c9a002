#include "observe/timeline.hpp"

#include "support/catch.hpp"
#include "weir/source.hpp"

using namespace weir;
using namespace weir::observe;
using std::chrono::milliseconds;

namespace {

report::TimelinePoint at(double seconds) {
  report::TimelinePoint point;
  point.seconds = seconds;
  return point;
}

}  // namespace

TEST_CASE("a timeline that is full gives up every second point", "[timeline]") {
  EvenPoints points(4, milliseconds(50));
  for (int i = 0; i < 4; ++i) points.add(at(i));
  CHECK(points.interval() == milliseconds(50));
  points.add(at(4));
  CHECK(points.interval() == milliseconds(100));
  points.add(at(6));
  points.add(at(8));
  CHECK(points.interval() == milliseconds(200));
  std::vector<double> times;
  for (const auto& point : std::move(points).take()) times.push_back(point.seconds);
  CHECK(times == std::vector<double>{0, 4, 8});
}

TEST_CASE("a timeline ends where the run ended", "[timeline]") {
  Loader loader(synthetic(24, {.height = 16, .width = 16}),
                {.shape = {.height = 16, .width = 16}, .batch = 8});
  auto stream = loader.stream();
  Timeline timeline(loader);
  while (stream.next()) {
  }
  const auto points = timeline.stop();
  REQUIRE(points.size() >= 2);
  CHECK(points.back().consumed == 24);
  CHECK(points.back().leased == 0);
  const auto now = loader.snapshot();
  CHECK(points.back().live == now.memory.live);
  CHECK(points.back().accounts == now.memory.accounts);
  for (std::size_t i = 1; i < points.size(); ++i) {
    CHECK(points[i].seconds >= points[i - 1].seconds);
    CHECK(points[i].consumed >= points[i - 1].consumed);
  }
  CHECK(timeline.stop().empty());
  CHECK(timeline.interval_s() == 0.05);
}
