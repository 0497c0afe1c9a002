#include "engine/loader_stats.hpp"

#include "engine/stage_cpu.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::engine;
using namespace std::chrono_literals;
using test::Approx;

namespace {

/// Points in time: seconds after the start.
const auto zero = Clock::now();
Clock::time_point at(double s) {
  return zero + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
}

double sum(const WorkerTime& time) {
  return time.read_s + time.decode_s + time.storage_wait_s + time.memory_wait_s + time.idle_s;
}

}  // namespace

TEST_CASE("a wait is divided by what the workers did during that wait", "[stats]") {
  LoaderStats stats(2);
  stats.stream_opened(2, at(0));
  // Without a waiting consumer: one worker reads for 10 s, the other waits for bytes of the budget.
  stats.workers_wait(1, Hold::bytes, at(0));
  stats.worker(0).read_begins(at(0));
  stats.worker(0).read_ends(at(10));
  stats.workers_wait(0, Hold::bytes, at(10));
  // During the wait: 2 workers x 4 s = 3 s of reading, 1 s of waiting for bytes, 4 s of decoding.
  stats.requested(false, at(10));
  stats.worker(1).read_begins(at(10));
  stats.worker(1).read_ends(at(13));
  stats.workers_wait(1, Hold::bytes, at(13));
  stats.workers_wait(0, Hold::rows, at(14));
  stats.answered(5, at(14));
  // After the wait both decode.
  const auto queue = stats.queue(at(20));
  CHECK(queue.consumer_wait_s == Approx(4));
  CHECK(queue.storage_wait_s == Approx(1.5));
  CHECK(queue.decode_wait_s == Approx(2));
  CHECK(queue.memory_wait_s == Approx(0.5));
  CHECK(queue.workers.read_s == Approx(13));
  CHECK(queue.workers.memory_wait_s == Approx(11));
  CHECK(queue.workers.decode_s == Approx(16));
  CHECK(sum(queue.workers) == Approx(2 * queue.seconds));
}

TEST_CASE("time of workers with nothing to do has no part in a wait", "[stats]") {
  LoaderStats stats(2);
  stats.stream_opened(4, at(0));
  stats.requested(false, at(0));
  stats.workers_wait(3, Hold::rows, at(0));
  stats.worker(0).read_begins(at(1));
  stats.worker(0).read_ends(at(4));
  stats.answered(1, at(4));
  const auto queue = stats.queue(at(4));
  CHECK(queue.storage_wait_s == Approx(3));
  CHECK(queue.decode_wait_s == Approx(1));
  CHECK(queue.workers.idle_s == Approx(12));
  CHECK(queue.producer_wait_s == Approx(3));
}

TEST_CASE("a wait in which no worker was at work is the hand-over's", "[stats]") {
  LoaderStats stats(2);
  stats.stream_opened(1, at(0));
  stats.workers_wait(1, Hold::rows, at(0));
  stats.requested(false, at(0));
  stats.answered(1, at(2));
  CHECK(stats.queue(at(2)).decode_wait_s == Approx(2));
  CHECK(stats.queue(at(2)).consumer_wait_s == Approx(2));
}

TEST_CASE("what goes on counts until now", "[stats]") {
  LoaderStats stats(2);
  stats.stream_opened(1, at(0));
  stats.worker(0).read_begins(at(0));
  stats.requested(false, at(1));
  auto queue = stats.queue(at(9));
  CHECK(queue.seconds == Approx(9));
  CHECK(queue.consumer_wait_s == Approx(8));
  CHECK(queue.storage_wait_s == Approx(8));
  CHECK(queue.workers.read_s == Approx(9));
  CHECK(queue.batches == 0);
  stats.worker(0).read_ends(at(10));
  stats.workers_wait(1, Hold::reads, at(10));
  queue = stats.queue(at(12));
  CHECK(queue.workers.storage_wait_s == Approx(2));
  CHECK(queue.storage_wait_s == Approx(11));
  stats.workers_wait(1, Hold::bytes, at(12));
  CHECK(stats.queue(at(15)).memory_wait_s == Approx(3));
}

TEST_CASE("a worker waits for a slab only if no batch is ready", "[stats]") {
  LoaderStats stats(2);
  stats.stream_opened(1, at(0));
  stats.workers_wait(1, Hold::slab, at(0));
  stats.ready_changed(+1, at(1));
  stats.ready_changed(-1, at(4));
  const auto workers = stats.queue(at(9)).workers;
  CHECK(workers.memory_wait_s == Approx(6));
  CHECK(workers.idle_s == Approx(3));
}

TEST_CASE("occupancy is by time, up to the present, and adds up to one", "[stats]") {
  LoaderStats stats(2);
  stats.stream_opened(1, at(0));
  stats.ready_changed(+1, at(1));
  stats.ready_changed(+1, at(3));
  CHECK(stats.queue(at(10)).occupancy[0] == Approx(0.1));
  CHECK(stats.queue(at(10)).occupancy[1] == Approx(0.2));
  CHECK(stats.queue(at(10)).occupancy[2] == Approx(0.7));
}

TEST_CASE("the consumer's time is from a batch until it asks again", "[stats]") {
  LoaderStats stats(2);
  stats.stream_opened(1, at(0));
  for (const double s : {0.0, 2.0, 6.0}) {
    stats.requested(true, at(s));
    stats.answered(1, at(s));
  }
  stats.requested(false, at(8));
  stats.answered(std::nullopt, at(9));
  stats.requested(false, at(20));
  stats.answered(1, at(21));
  const auto queue = stats.queue(at(30));
  CHECK(queue.consumer.count == 3);
  CHECK(queue.consumer.sum_s == Approx(8));
  CHECK(queue.consumer.squares_s2 == Approx(4 + 16 + 4));
  CHECK(queue.batches == 4);
  CHECK(queue.batches_ready == 3);
  CHECK(queue.data_readiness == Approx(0.75));
}

TEST_CASE("a consumer that polls waits from its first empty try", "[stats]") {
  LoaderStats stats(2);
  stats.stream_opened(1, at(0));
  for (const double s : {1.0, 2.0, 3.0}) {
    stats.requested(false, at(s));
    stats.answered(std::nullopt, at(s));
  }
  CHECK(stats.queue(at(4)).consumer_wait_s == Approx(3));
  stats.requested(true, at(5));
  stats.answered(1, at(5));
  const auto queue = stats.queue(at(9));
  CHECK(queue.consumer_wait_s == Approx(4));
  CHECK(queue.decode_wait_s == Approx(4));
  CHECK(queue.batches_ready == 0);
  CHECK(queue.consumer.count == 0);
}

TEST_CASE("a stream that ends while it is waited for ends the wait", "[stats]") {
  LoaderStats stats(2);
  stats.stream_opened(1, at(0));
  stats.requested(false, at(1));
  stats.answered(std::nullopt, at(3));
  stats.stream_ended(at(3));
  CHECK(stats.queue(at(9)).consumer_wait_s == Approx(2));
  stats.stream_opened(1, at(10));
  stats.requested(true, at(11));
  stats.answered(1, at(11));
  CHECK(stats.queue(at(12)).consumer_wait_s == Approx(2));
  CHECK(stats.queue(at(12)).batches_ready == 1);
}

TEST_CASE("between streams no time passes", "[stats]") {
  LoaderStats stats(2);
  stats.stream_opened(2, at(0));
  stats.requested(false, at(0));
  stats.answered(4, at(1));
  stats.workers_wait(2, Hold::rows, at(2));
  stats.stream_ended(at(5));
  stats.stream_ended(at(50));
  CHECK(stats.queue(at(100)).seconds == Approx(5));
  stats.stream_opened(2, at(200));
  const auto queue = stats.queue(at(203));
  CHECK(queue.seconds == Approx(8));
  CHECK(queue.workers.idle_s == Approx(6));
  CHECK(sum(queue.workers) == Approx(2 * queue.seconds));
  stats.requested(true, at(203));
  CHECK(stats.queue(at(203)).consumer.count == 0);
  CHECK(stats.throughput(at(203)).seconds == Approx(203));
}

TEST_CASE("workers that come and go count while they are there", "[stats]") {
  LoaderStats stats(2);
  stats.stream_opened(1, at(0));
  stats.staffed(4, at(2));
  stats.workers_wait(3, Hold::rows, at(2));
  stats.workers_wait(0, Hold::rows, at(4));
  stats.staffed(2, at(6));
  const auto queue = stats.queue(at(10));
  CHECK(sum(queue.workers) == Approx(2 + 16 + 8));
  CHECK(queue.workers.idle_s == Approx(6));
  CHECK(queue.producer_wait_s == Approx(6 * 10 / 26.0));
}

TEST_CASE("an instant older than the last is the last", "[stats]") {
  LoaderStats stats(2);
  stats.stream_opened(1, at(0));
  stats.ready_changed(+1, at(5));
  stats.requested(false, at(4));
  stats.answered(1, at(3));
  const auto queue = stats.queue(at(2));
  CHECK(queue.seconds == Approx(5));
  CHECK(queue.consumer_wait_s == 0);
  CHECK(queue.workers.decode_s == Approx(5));
}

TEST_CASE("the CPU time of slow reads and of one quick in 16 is noted", "[stats]") {
  LoaderStats stats(1);
  StageCpu cpu(stats.worker(0), Stage::read);
  const auto compute = [&] {
    cpu.begins();
    for (const auto until = thread_cpu_time() + 1ms; thread_cpu_time() < until;) {
    }
  };
  const auto noted = [&] { return stats.stages()[static_cast<std::size_t>(Stage::read)]; };
  compute();  // and fails
  CHECK(noted().cpu_count == 0);
  for (int i = 0; i < 17; ++i) {  // the first and the last are noted
    compute();
    cpu.ends(999us);
  }
  CHECK(noted().cpu_count == 2);
  CHECK(noted().cpu_s >= 0.002);
  CHECK(noted().cpu_busy_s == Approx(2 * 999e-6));
  for (int i = 0; i < 18; ++i) {  // 15 are left out
    cpu.begins();
    cpu.ends(1ms);
  }
  CHECK(noted().cpu_count == 5);
  CHECK(stats.stages()[static_cast<std::size_t>(Stage::decode)].cpu_count == 0);
}

TEST_CASE("stages add up over the workers' lanes", "[stats]") {
  LoaderStats stats(2);
  stats.worker(0).add(Stage::decode, 1ms, 100);
  stats.worker(1).add(Stage::decode, 3ms, 200);
  stats.others().add(Stage::lease, 5ms, 7);
  const auto stages = stats.stages();
  REQUIRE(stages.size() == stage_count);
  const auto& decode = stages[static_cast<std::size_t>(Stage::decode)];
  CHECK(decode.count == 2);
  CHECK(decode.busy_s == Approx(4e-3));
  CHECK(decode.squares_s2 == Approx(10e-6));
  CHECK(decode.bytes == 300);
  CHECK(*decode.quantile_us(0.5) == Approx(1000).epsilon(0.02));
  CHECK(*decode.quantile_us(0.9) == Approx(3000).epsilon(0.02));
  CHECK(*decode.quantile_us(0.99) == Approx(3000).epsilon(0.02));
  const auto& fit = stages[static_cast<std::size_t>(Stage::fit)];
  CHECK(fit.count == 0);
  CHECK_FALSE(fit.quantile_us(0.5));
  CHECK(stages[static_cast<std::size_t>(Stage::lease)].bytes == 7);
}

TEST_CASE("a read that outlives its stream adds no more worker time", "[stats]") {
  LoaderStats stats(2);
  stats.stream_opened(2, at(0));
  stats.worker(0).read_begins(at(1));
  stats.stream_ended(at(5));
  auto queue = stats.queue(at(60));
  CHECK(queue.workers.read_s == Approx(4));
  CHECK(sum(queue.workers) == Approx(2 * queue.seconds));
  stats.worker(0).read_ends(at(60));
  stats.stream_opened(2, at(100));
  stats.worker(0).read_begins(at(101));
  stats.worker(0).read_ends(at(103));
  queue = stats.queue(at(110));
  CHECK(queue.seconds == Approx(15));
  CHECK(queue.workers.read_s == Approx(6));
  CHECK(queue.workers.decode_s == Approx(24));
}

TEST_CASE("a removed worker's read does not count until it returns", "[stats]") {
  LoaderStats stats(2);
  stats.stream_opened(2, at(0));
  stats.worker(0).read_begins(at(0));
  stats.worker(1).read_begins(at(0));
  stats.staffed(1, at(2));
  auto queue = stats.queue(at(10));
  CHECK(queue.workers.read_s == Approx(12));
  CHECK(sum(queue.workers) == Approx(12));
  stats.staffed(2, at(10));
  stats.worker(1).read_ends(at(11));
  stats.worker(0).read_ends(at(11));
  queue = stats.queue(at(12));
  CHECK(queue.workers.read_s == Approx(14));
  CHECK(queue.workers.decode_s == Approx(2));
}

TEST_CASE("a wait for a device counts for neither consumer nor loader", "[stats]") {
  LoaderStats stats(2);
  stats.stream_opened(1, at(0));
  stats.requested(true, at(0));
  stats.answered(4, at(0));
  stats.awaits_device(at(2));
  CHECK(stats.queue(at(3)).device_wait_s == Approx(1));
  CHECK(stats.queue(at(3)).consumer_wait_s == Approx(1));
  stats.awaits_device(at(4));  // a consumer that tries waits on
  stats.requested(false, at(5));
  stats.answered(4, at(6));
  const auto queue = stats.queue(at(6));
  CHECK(queue.device_wait_s == Approx(3));
  CHECK(queue.decode_wait_s == Approx(1));
  CHECK(queue.consumer_wait_s == Approx(4));
  CHECK(queue.consumer.count == 1);
  CHECK(queue.consumer.sum_s == Approx(2));
  stats.awaits_device(at(7));
  stats.stream_ended(at(9));
  CHECK(stats.queue(at(20)).device_wait_s == Approx(5));
}
