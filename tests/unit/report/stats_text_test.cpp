#include "report/stats_text.hpp"

#include "report/text.hpp"
#include "sample_run.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir;
using test::contains;

TEST_CASE("a count has its noun in the right number", "[text]") {
  CHECK(report::plural(1, "batch") == "1 batch");
  CHECK(report::plural(2000, "batch") == "2,000 batches");
  CHECK(report::plural(0, "sample") == "0 samples");
}

TEST_CASE("a duration is rounded before its unit is chosen", "[text]") {
  CHECK(report::duration(0.000999) == "999 us");
  CHECK(report::duration(0.0009996) == "1.0 ms");
  CHECK(report::duration(0.9999) == "999.9 ms");
  CHECK(report::duration(0.99997) == "1.00 s");
}

TEST_CASE("the regime is shown with its numbers", "[text]") {
  Report figures;
  CHECK(report::regime_text(figures).empty());
  figures.regime = "storage";
  auto& queue = figures.queue;
  queue.seconds = 12.3;
  queue.consumer_wait_s = 0.6 * queue.seconds;
  queue.storage_wait_s = 0.4 * queue.seconds;
  queue.decode_wait_s = 0.15 * queue.seconds;
  queue.memory_wait_s = 0.05 * queue.seconds;
  queue.workers = {.decode_s = 98, .idle_s = 2};
  CHECK(report::regime_text(figures) ==
        "Regime storage\n  of 12.3 s the consumer waited 60.0 % (40.0 % for reads, 15.0 % for "
        "decoding, 5.0 % for memory), the workers 2.0 %\n");
}

TEST_CASE("the queue's text says what consumer and workers waited for", "[text]") {
  QueueStats queue;
  queue.batches = 10;
  queue.batches_ready = 9;
  queue.occupancy = {0.25, 0.75};
  queue.consumer_wait_s = 0.5;
  queue.producer_wait_s = 1.25;
  queue.storage_wait_s = 0.3;
  queue.decode_wait_s = 0.2;
  queue.data_readiness = 0.9;
  queue.batches = 10;
  CHECK(report::queue_text(queue) ==
        "\nQueue\n"
        "  data readiness 90.0 %; the consumer waited 500.0 ms, the workers 1.25 s\n"
        "  by cause: storage 300.0 ms, decode 200.0 ms, memory 0 us\n"
        "  0 ready  25.0 %  ██████████\n"
        "  1 ready  75.0 %  ██████████████████████████████\n");
  queue.workers = {
      .read_s = 1, .decode_s = 5, .storage_wait_s = 0.5, .memory_wait_s = 1.5, .idle_s = 2};
  queue.consumer = {.count = 2, .sum_s = 0.06, .squares_s2 = 0.0026};
  const auto text = report::queue_text(queue);
  CHECK(contains(text,
                 "\n  workers: read 10.0 %, decode 50.0 %, wait for reads 5.0 %, wait for "
                 "memory 15.0 %, idle 20.0 %\n"
                 "  the consumer took 30.0 ms a batch (standard deviation 20.0 ms)\n"));
}

TEST_CASE("the CPU time of the workers stands below their time", "[text]") {
  QueueStats queue;
  queue.workers = {.read_s = 1, .decode_s = 4};
  CHECK_FALSE(contains(report::queue_text(queue), "CPU"));
  queue.cpu = {.workers_s = 1.25, .cpus = 2};
  CHECK(contains(report::queue_text(queue),
                 "\n  CPU time of the workers: 1.25 s of 5.00 s at work\n"));
  queue.cpu.wait_s = 3.5;
  queue.cpu.throttle_s = queue.cpu.steal_s = 0;  // known, and nothing to say
  CHECK(contains(
      report::queue_text(queue),
      "\n  CPU time of the workers: 1.25 s of 5.00 s at work; 3.50 s of waiting for a CPU\n"));
  CHECK_FALSE(contains(report::queue_text(queue), "withheld"));
  queue.cpu.throttle_s = 3;
  queue.cpu.limit = 0.5;
  queue.cpu.steal_s = 0.25;
  CHECK(contains(
      report::queue_text(queue),
      "\n  CPU time withheld: 3.00 s by a CPU limit of 0.5 CPUs, 250.0 ms by the host (steal)\n"));
  queue.cpu.limit = 128;
  CHECK(contains(report::queue_text(queue), " by a CPU limit of 128 CPUs,"));
}

TEST_CASE("what the clocks cost stands beside what the books cost", "[text]") {
  auto run = test::sample_run();
  const auto stats_text = [&] {
    return report::cost_text("timing", "clock readings", report::stats_cost(run));
  };
  CHECK(stats_text().empty());
  CHECK(report::stats_cost({}).events_per_sample == 0);
  run.figures.readings = 7680;
  run.reading_ns = 50;
  run.cpu_s = 2.56;
  CHECK(stats_text() ==
        "  timing: 3.0 clock readings a sample x 50 ns = 0.15 us, 0.015 % of its CPU time\n");
  CHECK(contains(report::run_text(run), stats_text()));
}
