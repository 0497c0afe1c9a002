#include "base/machine/thread_cpus.hpp"

#include <atomic>
#include <thread>

#include "base/clock.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace std::chrono_literals;

namespace {

void burn(std::chrono::nanoseconds cpu) {
  for (const auto begun = thread_cpu_time(); thread_cpu_time() - begun < cpu;) {
  }
}

}  // namespace

TEST_CASE("schedstat gives the time without a CPU in its second field", "[cpu]") {
  CHECK(run_delay_in("149593 3749799 2\n") == 3749799ns);
  CHECK(run_delay_in("149593 0 2\n") == 0ns);
  for (const auto* text : {"", "0 0 0\n", "1 2\n", "x y z\n"}) {
    CAPTURE(text);
    CHECK_FALSE(run_delay_in(text));
  }
}

TEST_CASE("threads count from their start to their end", "[cpu]") {
  ThreadCpus cpus;
  CHECK(cpus.total().used == 0ns);
  std::atomic<bool> burnt{false}, leave{false};
  std::thread one([&] {
    const ThreadCpus::Member member(cpus);
    burn(20ms);
    burnt = true;
    while (!leave) std::this_thread::sleep_for(1ms);
  });
  while (!burnt) std::this_thread::sleep_for(1ms);
  const auto running = cpus.total().used;
  CHECK(running >= 20ms);
  std::thread([&] {
    const ThreadCpus::Member member(cpus);
    burn(10ms);
  }).join();
  const auto both = cpus.total();
  CHECK(both.used >= running + 10ms);
  leave = true;
  one.join();
  const auto ended = cpus.total();
  CHECK(ended.used >= both.used);
  CHECK(ended.used < both.used + 1s);
  CHECK(ended.waited.has_value() == both.waited.has_value());
}

TEST_CASE("a time that one thread does not know is not known of all", "[cpu]") {
  CpuTime sum;
  sum.add({5ns, 7ns});
  CHECK(sum.waited == 7ns);
  sum.add({5ns, std::nullopt});
  CHECK(sum.used == 10ns);
  CHECK_FALSE(sum.waited);
  sum.add({5ns, 7ns});
  CHECK_FALSE(sum.waited);
}
