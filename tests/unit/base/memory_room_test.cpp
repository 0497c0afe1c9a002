#include "base/machine/memory_room.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using weir::memory_room;
namespace fs = std::filesystem;

namespace {

/// Simulated /proc and cgroup files of a machine.
class Machine {
 public:
  Machine() {
    write("proc/meminfo",
          "MemTotal:       8000 kB\nMemFree:         100 kB\nMemAvailable:   4000 kB\n");
  }

  void write(const fs::path& file, const std::string& text) const { root_.write(file, text); }
  weir::MemoryRoom room() const { return memory_room(root_.path()); }
  std::string path(const fs::path& part) const { return (root_ / part).string(); }

 private:
  const weir::test::TemporaryFolder root_;
};

void v2(const Machine& machine, const std::string& group, const std::string& root = "/") {
  machine.write("proc/self/cgroup", "0::" + group + "\n");
  machine.write("proc/self/mountinfo",
                "31 23 0:28 / /proc rw - proc proc rw\n"
                "41 31 0:38 " +
                    root + " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
}

}  // namespace

TEST_CASE("without a group the machine's available memory is the room", "[room]") {
  const Machine machine;
  CHECK(machine.room().machine == 4000 * 1024);
  CHECK_FALSE(machine.room().cgroup);
}

TEST_CASE("the tightest group above the process counts, file cache not", "[room]") {
  const Machine machine;
  v2(machine, "/a/b");
  machine.write("sys/fs/cgroup/a/memory.max", "1000000\n");
  machine.write("sys/fs/cgroup/a/memory.current", "900000\n");
  machine.write("sys/fs/cgroup/a/memory.stat", "anon 100\ninactive_file 300000\nactive_file 7\n");
  machine.write("sys/fs/cgroup/a/b/memory.max", "max\n");
  machine.write("sys/fs/cgroup/a/b/memory.current", "5\n");
  const auto room = machine.room();
  REQUIRE(room.cgroup);
  CHECK(room.cgroup->limit == 1000000);
  CHECK(room.cgroup->left() == 400000);
  CHECK(room.cgroup->path == machine.path("sys/fs/cgroup/a"));

  // memory.high slows the process down before it reaches memory.max.
  machine.write("sys/fs/cgroup/a/b/memory.high", "300005\n");
  CHECK(machine.room().cgroup->left() == 300000);
}

TEST_CASE("a group over its limit has nothing left", "[room]") {
  const Machine machine;
  v2(machine, "/");
  machine.write("sys/fs/cgroup/memory.max", "1000\n");
  machine.write("sys/fs/cgroup/memory.current", "1500\n");
  CHECK(machine.room().cgroup->left() == 0);
}

TEST_CASE("in a container the mount's top stands for the group it shows", "[room]") {
  const Machine machine;
  v2(machine, "/docker/abc/inner", "/docker/abc");
  machine.write("sys/fs/cgroup/inner/memory.max", "2000\n");
  machine.write("sys/fs/cgroup/inner/memory.current", "500\n");
  CHECK(machine.room().cgroup->left() == 1500);

  v2(machine, "/elsewhere", "/docker/abc");
  machine.write("sys/fs/cgroup/memory.max", "900\n");
  machine.write("sys/fs/cgroup/memory.current", "100\n");
  CHECK(machine.room().cgroup->left() == 800);
}

TEST_CASE("version 1 groups are read, and their 'no limit' is none", "[room]") {
  const Machine machine;
  machine.write("proc/self/cgroup", "5:memory,hugetlb:/job\n4:cpu:/job\n0::/job\n");
  machine.write("proc/self/mountinfo",
                "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,hugetlb,memory\n"
                "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
                "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  machine.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "1\n");
  CHECK_FALSE(machine.room().cgroup);
  machine.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "5000\n");
  machine.write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "4500\n");
  machine.write("sys/fs/cgroup/memory/job/memory.stat", "cache 9\ntotal_inactive_file 1500\n");
  CHECK(machine.room().cgroup->left() == 2000);
}

TEST_CASE("files that are not what they should be are no room", "[room]") {
  const Machine machine;
  machine.write("proc/meminfo", "MemAvailable: lots\n");
  v2(machine, "/");
  machine.write("sys/fs/cgroup/memory.max", "-5\n");
  machine.write("sys/fs/cgroup/memory.current", "1\n");
  CHECK(machine.room().machine == 0);
  CHECK_FALSE(machine.room().cgroup);
}

TEST_CASE("this machine has some memory left", "[room]") { CHECK(memory_room().machine > 0); }
