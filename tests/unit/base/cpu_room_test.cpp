#include "base/machine/cpu_room.hpp"

#include <sched.h>

#include <string>
#include <thread>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using weir::CpuRoom;

namespace {

/// Simulated files of a machine with one cgroup hierarchy.
void in_group(const weir::test::TemporaryFolder& root, bool v2) {
  root.write("proc/self/cgroup", v2 ? "0::/a/b\n" : "4:cpu,cpuacct:/a/b\n3:memory:/other\n");
  root.write("proc/self/mountinfo",
             std::string("41 31 0:38 / /cg rw shared:4 - ") +
                 (v2 ? "cgroup2 cgroup2 rw\n" : "cgroup cgroup rw,cpu,cpuacct\n"));
}

}  // namespace

TEST_CASE("the tightest CPU limit of the groups counts", "[room]") {
  const weir::test::TemporaryFolder root;
  CHECK_FALSE(weir::cpu_room(root.path()).quota);
  in_group(root, true);
  root.write("cg/a/cpu.max", "150000 100000\n");
  root.write("cg/a/b/cpu.max", "max 100000\n");
  CHECK(weir::cpu_room(root.path()).quota == 1.5);
  root.write("cg/a/b/cpu.max", "25000 100000\n");
  CHECK(weir::cpu_room(root.path()).quota == 0.25);
  CHECK(weir::cpu_room(root.path()).threads() == 1);
}

TEST_CASE("the limit of cgroup v1 is read", "[room]") {
  const weir::test::TemporaryFolder root;
  in_group(root, false);
  root.write("cg/a/cpu.cfs_quota_us", "300000\n");
  root.write("cg/a/cpu.cfs_period_us", "100000\n");
  root.write("cg/a/b/cpu.cfs_quota_us", "-1\n");
  root.write("cg/a/b/cpu.cfs_period_us", "100000\n");
  CHECK(weir::cpu_room(root.path()).quota == 3);
}

TEST_CASE("a part of a CPU takes a thread, and there is always one", "[room]") {
  CHECK(CpuRoom{8, {}}.threads() == 8);
  CHECK(CpuRoom{8, 2.0}.threads() == 2);
  CHECK(CpuRoom{8, 2.1}.threads() == 3);
  CHECK(CpuRoom{2, 64.0}.threads() == 2);
  CHECK(CpuRoom{0, 0.01}.threads() == 1);
}

TEST_CASE("the affinity of the calling thread counts", "[room]") {
  unsigned allowed = 0;
  std::thread([&allowed] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) allowed = weir::cpu_room().allowed;
  }).join();
  CHECK(allowed == 1);
}
