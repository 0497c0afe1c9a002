#include "plan/auto_budget.hpp"

#include "support/catch.hpp"
#include "support/text.hpp"
#include "support/units.hpp"
#include "weir/error.hpp"

using namespace weir;
using test::has_text;

namespace {
using weir::test::mib;
}

TEST_CASE("an automatic budget is a share of the smaller room", "[plan]") {
  MemoryRoom room{.machine = 1000 * mib, .cgroup = {}};
  auto budget = plan::auto_budget(room, 0.5);
  CHECK(budget.bytes == 500 * mib);
  CHECK(
      budget.how ==
      "500.00 MiB: 50 % of the 1000.00 MiB left; the machine has 1000.00 MiB available, no memory "
      "cgroup "
      "sets a limit");
  room.cgroup = CgroupRoom{
      .path = "/sys/fs/cgroup/a", .limit = 512 * mib, .used = 212 * mib, .cache = 100 * mib};
  budget = plan::auto_budget(room, 0.25);
  CHECK(budget.bytes == 100 * mib);
  CHECK(
      budget.how ==
      "100.00 MiB: 25 % of the 400.00 MiB left; cgroup /sys/fs/cgroup/a has 400.00 MiB left (limit "
      "512.00 MiB, "
      "used 212.00 MiB, of that 100.00 MiB idle file cache), the machine has 1000.00 MiB "
      "available");
  room.machine = 1024 * mib;
  CHECK(test::contains(plan::auto_budget(room, 1).how, "the machine has 1.00 GiB available"));
  room.machine = 300 * mib;
  CHECK(plan::auto_budget(room, 1).bytes == 300 * mib);
}

TEST_CASE("a share out of range, or no room known, is refused", "[plan]") {
  const MemoryRoom room{.machine = mib, .cgroup = {}};
  CHECK_THROWS_WITH(plan::auto_budget(room, 0), has_text("share"));
  CHECK_THROWS_WITH(plan::auto_budget(room, 1.5), has_text("at most 1"));
  CHECK_THROWS_WITH(plan::auto_budget(MemoryRoom{}, 0.5), has_text("MemAvailable"));
}
