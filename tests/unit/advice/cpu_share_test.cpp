#include "advice/cpu_share.hpp"

#include "intervals.hpp"
#include "support/catch.hpp"
#include "weir/advice.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Ten seconds in which `workers` workers decoded all the time and the consumer waited for them.
QueueWaits decoding(double workers, const CpuUse& cpu) {
  QueueWaits waits;
  waits.seconds = waits.consumer_wait_s = waits.decode_wait_s = 10;
  waits.workers.decode_s = 10 * workers;
  waits.cpu = cpu;
  return waits;
}

/// Two workers on two CPUs that used `used` of 20 s of CPU time and waited for the rest.
CpuUse starved(double used) {
  return {.workers_s = used, .wait_s = 20 - used, .process_s = used, .throttle_s = 0, .cpus = 2};
}

}  // namespace

TEST_CASE("a verdict is cpu if workers are ready to run and have no CPU", "[cpu]") {
  const auto verdict = judge(decoding(2, starved(5)));
  CHECK(verdict.regime == Regime::cpu);
  CHECK(verdict.cpus_had.value() == Approx(0.5));
  CHECK(verdict.cpus_wanted.value() == Approx(2));
  CHECK(verdict.cpu_cause == "other processes used the rest");
  CHECK(verdict.why ==
        "of 10 s the consumer waited 100.0 % (0.0 % for reads, 100.0 % for decoding, 0.0 % for "
        "memory), the workers 0.0 %; the workers had 0.5 of 2 CPUs: other processes used the rest");
  CHECK(describe(verdict) ==
        "Short of CPUs: the consumer waits 100 % of its time; the "
        "workers had 0.5 of 2 CPUs: other processes used the rest.");
  // A read from the page cache waits for a CPU like a decode.
  auto reading = decoding(2, starved(5));
  std::swap(reading.storage_wait_s, reading.decode_wait_s);
  std::swap(reading.workers.read_s, reading.workers.decode_s);
  CHECK(judge(reading).regime == Regime::cpu);
}

TEST_CASE("other regimes stay, though the workers lack CPUs", "[cpu]") {
  // Three of four seconds the workers wait for reads. In the fourth they lack CPUs.
  auto ahead = decoding(2, starved(1));
  ahead.cpu.wait_s = 4;
  ahead.workers = {.decode_s = 5, .storage_wait_s = 15};
  std::swap(ahead.storage_wait_s, ahead.decode_wait_s);
  CHECK(judge(ahead).regime == Regime::storage);
  CHECK(judge(ahead).cpu_cause.empty());
  auto others = decoding(2, starved(5));
  std::swap(others.memory_wait_s, others.decode_wait_s);
  CHECK(judge(others).regime == Regime::memory);
  others.consumer_wait_s = 0.5;
  CHECK(judge(others).regime == Regime::balanced);
}

TEST_CASE("a third of the time without a CPU is the limit", "[cpu]") {
  CHECK(judge(decoding(2, starved(13.4))).regime == Regime::decode);
  CHECK(judge(decoding(2, starved(13.3))).regime == Regime::cpu);
  CHECK(judge(decoding(2, {})).regime == Regime::decode);
  CHECK_FALSE(judge(decoding(2, {})).cpus_wanted);
}

TEST_CASE("decodes that wait for something else do not lack a CPU", "[cpu]") {
  // For example a transform that waits for a device: little CPU time, and no wait for a CPU.
  auto cpu = starved(1);
  cpu.wait_s = 0.5;
  CHECK(judge(decoding(2, cpu)).regime == Regime::decode);
  // Without the kernel's count of waits nobody knows.
  cpu.wait_s.reset();
  CHECK(judge(decoding(2, cpu)).regime == Regime::decode);
}

TEST_CASE("more workers than CPUs wait for each other, which is no lack", "[cpu]") {
  // Eight workers on two CPUs, which they have for themselves.
  const CpuUse own{.workers_s = 20, .wait_s = 60, .process_s = 20, .cpus = 2};
  const auto verdict = judge(decoding(8, own));
  CHECK(verdict.regime == Regime::decode);
  CHECK(verdict.cpus_had.value() == Approx(2));
  CHECK(verdict.cpus_wanted.value() == Approx(2));
  // The same, and others have three quarters of both CPUs.
  const CpuUse less{.workers_s = 5, .wait_s = 75, .process_s = 5, .cpus = 2};
  CHECK(judge(decoding(8, less)).regime == Regime::cpu);
  CHECK(judge(decoding(8, less)).cpus_wanted.value() == Approx(2));
}

TEST_CASE("the verdict names who had the CPUs", "[cpu]") {
  const auto cause = [](const CpuUse& cpu) { return judge(decoding(2, cpu)).cpu_cause; };
  auto cpu = starved(5);
  cpu.throttle_s = 15;
  CHECK(cause(cpu) == "a CPU limit stopped them");
  cpu.limit = 0.5;
  CHECK(cause(cpu) == "a CPU limit of 0.5 CPUs stopped them");
  cpu.throttle_s = 0.2;
  CHECK(cause(cpu) == "other processes used the rest");
  cpu.process_s = 20;
  CHECK(cause(cpu) == "other threads of this process used 1.5");
  cpu.process_s = 5;
  cpu.throttle_s.reset();
  CHECK(cause(cpu) == "other processes, or a CPU limit");
}

TEST_CASE("workers want no more CPUs than there are workers", "[cpu]") {
  auto cpu = starved(5);
  cpu.wait_s = 16.5;
  CHECK(judge(decoding(2, cpu)).regime == Regime::cpu);
  CHECK(judge(decoding(2, cpu)).cpus_wanted.value() == Approx(2));
}

TEST_CASE("time that the hypervisor withheld is no CPU time", "[cpu]") {
  CpuUse cpu = starved(5);
  cpu.wait_s = 1;
  cpu.steal_s = 14;
  CHECK(judge(decoding(2, cpu)).regime == Regime::cpu);
  CHECK(judge(decoding(2, cpu)).cpu_cause == "the host of this virtual machine withheld the rest");
  CHECK(judge(decoding(2, cpu)).cpus_wanted.value() == Approx(2));
  // The time of other CPUs of the machine does not count.
  cpu.workers_s = cpu.process_s = 19;
  cpu.steal_s = 1000;
  CHECK(judge(decoding(2, cpu)).regime == Regime::decode);
}

TEST_CASE("the hypervisor takes little from workers that use little", "[cpu]") {
  // One worker whose reads sleep, beside a consumer that polls: the worker used a tenth of the
  // process's CPU time.
  QueueWaits waits;
  waits.seconds = waits.consumer_wait_s = waits.storage_wait_s = waits.workers.read_s = 10;
  waits.cpu = {.workers_s = 0.1, .wait_s = 0.0, .process_s = 1, .steal_s = 6, .cpus = 2};
  CHECK(judge(waits).regime == Regime::storage);
  // The same host, and nobody else to take from.
  waits.cpu.process_s = 0.1;
  CHECK(judge(waits).regime == Regime::cpu);
}

TEST_CASE("the time of a CPU limit counts if the kernel counts no waits", "[cpu]") {
  const CpuUse cpu{.workers_s = 5, .process_s = 5, .throttle_s = 15, .cpus = 2, .limit = 0.5};
  CHECK(judge(decoding(2, cpu)).regime == Regime::cpu);
  CHECK(judge(decoding(2, cpu)).cpus_wanted.value() == Approx(2));
}

TEST_CASE("an interval has its own CPU time and no unknown figure", "[cpu]") {
  Report earlier, now;
  earlier.queue.cpu = {.workers_s = 1, .wait_s = 2, .process_s = 3, .steal_s = 4, .cpus = 2};
  now.queue.cpu = {.workers_s = 11,
                   .wait_s = 22,
                   .process_s = 33,
                   .throttle_s = 5,
                   .throttled_periods = 6,
                   .cpus = 4,
                   .limit = 1.5};
  const auto cpu = interval(earlier, now).cpu;
  CHECK(cpu.workers_s == 10);
  CHECK(cpu.wait_s == 20);
  CHECK(cpu.process_s == 30);
  CHECK(cpu.throttle_s == 5);
  CHECK(cpu.throttled_periods == 6);
  CHECK_FALSE(cpu.steal_s);
  CHECK(cpu.cpus == 4);
  CHECK(cpu.limit == 1.5);
}

TEST_CASE("advice is more CPUs, not more workers, where CPUs are short", "[cpu][plan]") {
  // One worker on a machine with four CPUs: other processes have three quarters of its time.
  Options options;
  options.workers = 1;
  auto interval = interval_of({0.05, 12, 10, 0.3}, 4, options);
  interval.consumer_wait_s = interval.decode_wait_s = 0.9 * interval.seconds;
  interval.workers.decode_s = interval.seconds;
  interval.decode_cpu_s = interval.decode.mean_s;
  const auto undisturbed = advise(interval);
  CHECK(undisturbed.verdict.regime == Regime::decode);
  CHECK(undisturbed.recommended.setting.workers > 1);
  for (const double cpu_of_decode : {0.25, 0.05}) {  // a decode with little CPU time does not sleep
    interval.decode_cpu_s = cpu_of_decode * interval.decode.mean_s;
    interval.cpu = {.workers_s = cpu_of_decode * interval.seconds,
                    .wait_s = (1 - cpu_of_decode) * interval.seconds,
                    .process_s = cpu_of_decode * interval.seconds,
                    .throttle_s = 0,
                    .cpus = 4};
    const auto advice = advise(interval);
    CHECK(advice.verdict.regime == Regime::cpu);
    CHECK(advice.now.verdict.regime == Regime::cpu);
    CHECK(within(advice.now.samples_per_s, 1 / interval.decode.mean_s, 0.05));
    CHECK(advice.recommended.setting.workers == 1);
    REQUIRE_FALSE(advice.levers.empty());
    const auto& first = advice.levers.front();
    CHECK(first.change == Change::cpu);
    CHECK(first.gain.value() > 1.5);
    CHECK(first.result.verdict.regime != Regime::cpu);
    CHECK(first.flag.empty());
    for (const auto& lever : advice.levers) CHECK(lever.change != Change::workers);
  }
  const auto lever = advise(interval).levers.front();
  CHECK(lever.title == "CPUs for the workers, 0.05 → 1");
  CHECK(lever.why == "End the other processes, or move them to other CPUs");
}

TEST_CASE("page cache reads need no read_ahead where CPUs are short", "[cpu][plan]") {
  // Two workers: a read of 6 ms and a decode of 12 ms, each with a tenth of its time on a CPU.
  auto interval = interval_of({6, 12, 1, 0.3}, 4, [] {
    Options options;
    options.workers = 2;
    return options;
  }());
  interval.consumer_wait_s = interval.seconds;
  interval.storage_wait_s = interval.seconds / 3;
  interval.decode_wait_s = interval.seconds * 2 / 3;
  interval.workers = {.read_s = interval.seconds * 2 / 3, .decode_s = interval.seconds * 4 / 3};
  interval.read_cpu_s = 0.1 * interval.read.mean_s;
  interval.decode_cpu_s = 0.1 * interval.decode.mean_s;
  interval.cpu = {.workers_s = 0.2 * interval.seconds,
                  .wait_s = 1.8 * interval.seconds,
                  .process_s = 0.2 * interval.seconds,
                  .cpus = 4};
  const auto advice = advise(interval);
  CHECK(advice.verdict.regime == Regime::cpu);
  CHECK(within(advice.now.samples_per_s, 2 / 18e-3, 0.05));
  for (const auto& lever : advice.levers) {
    INFO(lever.sentence);
    CHECK(lever.change != Change::workers);
    CHECK(lever.change != Change::read_ahead);
    CHECK(lever.change != Change::storage);
    if (lever.change == Change::settings) CHECK(lever.gain.value() < 1.02);
  }
}
