#include <sched.h>

#include <vector>

#include "support/catch.hpp"
#include "workload.hpp"

// These tests compare shares of time on one CPU. Other processes can only take more of it.

using namespace weir;
using namespace weir::test;

namespace {

/// Runs `body` on a thread that may use only its current CPU, as may all threads that it starts.
template <class F>
void on_one_cpu(const F& body) {
  bool pinned = false;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    pinned = sched_setaffinity(0, sizeof one, &one) == 0;
    if (pinned) body();
  }).join();
  REQUIRE(pinned);
}

/// Threads that compute all the time, on the CPUs of the calling thread.
class Busy {
 public:
  explicit Busy(int threads) {
    for (int i = 0; i < threads; ++i)
      threads_.emplace_back([this] {
        while (!done_.load(std::memory_order_relaxed)) {
        }
      });
  }
  ~Busy() {
    done_ = true;
    for (auto& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> done_{false};
  std::vector<std::thread> threads_;
};

AnySource photographs() {
  return SlowSource(1'000'000, {600, 800}, std::make_shared<SlowSource::State>());
}

Interval seen(const AnySource& source, const Options& options, int batches) {
  Loader loader(source, options);
  auto stream = loader.stream({.epochs = std::nullopt});
  consume(stream, batches, 0);
  return interval(loader.report());
}

}  // namespace

TEST_CASE("workers beside busy threads on their CPU are short of CPUs", "[regimes][cpu]") {
  Interval starved;
  on_one_cpu([&] {
    const Busy others(6);
    starved = seen(photographs(), two_workers(), 4);
  });
  const auto& cpu = starved.cpu;
  CHECK(cpu.cpus == 1);
  CHECK(cpu.workers_s > 0);
  CHECK(cpu.workers_s < 0.5 * starved.workers.decode_s);
  CHECK(cpu.process_s > cpu.workers_s);
  if (!cpu.wait_s) return;  // the kernel does not count
  const auto verdict = judge(starved);
  INFO(verdict.why);
  CHECK(*cpu.wait_s > cpu.workers_s);
  CHECK(verdict.regime == Regime::cpu);
  CHECK(verdict.cpus_had.value() < 0.67 * verdict.cpus_wanted.value());
  CHECK(verdict.cpus_wanted.value() < 1.1);
  CHECK_FALSE(verdict.cpu_cause.empty());
  const auto advice = advise(starved, {.most_workers = 8});
  const auto workers = std::ranges::find(advice.levers, Change::workers, &Lever::change);
  // One of these few reads may have waited for a CPU, which looks a little like slow storage.
  if (workers != advice.levers.end()) CHECK(workers->gain.value() < 1.15);
}

TEST_CASE("workers that sleep are not short of CPUs", "[regimes][cpu]") {
  auto options = two_workers();
  options.transform.apply = [](DecodedSample&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  const auto interval = seen(synthetic(1000, {24, 24}), options, 6);
  const auto verdict = judge(undisturbed(interval));
  INFO(verdict.why);
  CHECK(verdict.regime == Regime::decode);
  CHECK(interval.cpu.workers_s < 0.5 * interval.workers.decode_s);
}

TEST_CASE("CPU time counts while a stream is open", "[regimes][cpu]") {
  Loader loader(photographs(), two_workers());
  CHECK_FALSE(loader.report().queue.cpu.cpus);
  {
    auto stream = loader.stream({.epochs = std::nullopt});
    consume(stream, 1, 0);
  }
  const auto ended = loader.report().queue.cpu;
  CHECK(ended.workers_s > 0);
  CHECK(ended.process_s > 0);
  {
    const Busy others(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const auto later = loader.report().queue.cpu;
  CHECK(later.process_s == ended.process_s);
  CHECK(later.workers_s == ended.workers_s);
  {
    auto stream = loader.stream({.epochs = std::nullopt});
    consume(stream, 1, 0);
  }
  CHECK(loader.report().queue.cpu.workers_s > ended.workers_s);
}
