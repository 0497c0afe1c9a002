#include "base/machine/cpu_watch.hpp"

#include <unistd.h>

#include <string>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace weir;
using test::Approx;

namespace {

constexpr auto v2_text =
    "usage_usec 99\nuser_usec 60\nsystem_usec 39\nnr_periods 50\nnr_throttled 43\n"
    "throttled_usec 2500000\nnr_bursts 0\nburst_usec 0\n";
constexpr auto v1_text = "nr_periods 50\nnr_throttled 7\nthrottled_time 1500000000\n";

}  // namespace

TEST_CASE("cpu.stat of cgroup v1 and v2 gives the time of throttling", "[cpu]") {
  CHECK(throttling_in(v2_text).throttle_s == 2.5);
  CHECK(throttling_in(v2_text).throttled_periods == 43);
  CHECK(throttling_in(v1_text).throttle_s == 1.5);
  CHECK(throttling_in(v1_text).throttled_periods == 7);
}

TEST_CASE("what cpu.stat does not have is not known", "[cpu]") {
  for (const auto* text : {"", "usage_usec 99\n", "nr_throttled\nthrottled_usec \n",
                           "throttled_usec x\n", "nr_throttled_more 5\nthrottled_usecs 5\n"}) {
    CAPTURE(text);
    CHECK_FALSE(throttling_in(text).throttle_s);
    CHECK_FALSE(throttling_in(text).throttled_periods);
  }
}

TEST_CASE("steal is the eighth figure of /proc/stat", "[cpu]") {
  CHECK(steal_ticks_in("cpu  1 2 3 4 5 6 7 88 9 10\ncpu0 1 2 3 4 5 6 7 99 9 10\n") == 88u);
  CHECK(steal_ticks_in("cpu 1 2 3 4 5 6 7 8") == 8u);
  for (const auto* text : {"", "cpu", "cpu  1 2 3 4 5 6 7\n", "cpu  1 2 3 4 5 6 7 \ncpu0 1 2\n",
                           "cpu0 1 2 3 4 5 6 7 8\n"}) {
    CAPTURE(text);
    CHECK_FALSE(steal_ticks_in(text));
  }
}

TEST_CASE("CPU losses are those of the process's groups and machine", "[cpu]") {
  const test::TemporaryFolder root;
  const auto nothing = CpuWatch(root.path().string()).read();
  CHECK_FALSE(nothing.throttle_s);
  CHECK_FALSE(nothing.throttled_periods);
  CHECK_FALSE(nothing.steal_s);

  root.write("proc/self/cgroup", "0::/a/b\n");
  root.write("proc/self/mountinfo", "41 31 0:38 / /cg rw shared:4 - cgroup2 cgroup2 rw\n");
  root.write("proc/stat",
             "cpu  1 2 3 4 5 6 7 " + std::to_string(3 * sysconf(_SC_CLK_TCK)) + " 0 0\n");
  root.write("cg/cpu.stat", "usage_usec 5\n");
  root.write("cg/a/cpu.max", "50000 100000\n");
  root.write("cg/a/cpu.stat", "nr_throttled 2\nthrottled_usec 500000\n");
  root.write("cg/a/b/cpu.stat", v2_text);
  const CpuWatch watch(root.path().string());
  CHECK(watch.limit() == 0.5);
  CHECK(watch.read().throttle_s == Approx(3));
  CHECK(watch.read().throttled_periods == 45);
  CHECK(watch.read().steal_s == Approx(3));
}
