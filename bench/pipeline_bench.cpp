#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "images.hpp"
#include "ledger.hpp"
#include "report/figures.hpp"
#include "weir/weir.hpp"

namespace {

using namespace weir;
using namespace weir::bench;

constexpr std::uint32_t batch_size = 16;

/// Endless epochs over 64 encoded images in memory: decode, fit, queue, hand-off.
template <class Consume>
void drain(benchmark::State& state, const Options& options, Consume consume) {
  auto samples = images(64);
  const auto encoded = encoded_bytes(samples);
  Loader loader(in_memory(std::move(samples)), options);
  std::uint64_t seen = 0;
  ledger()->reset_peak();
  const auto before = ledger()->postings();
  const auto cpu_before = process_cpu_seconds();
  auto stream = loader.stream({.epochs = std::nullopt});
  while (state.KeepRunning()) {
    const auto batch = stream.next();
    consume(*batch);
    seen += batch->size();
  }
  const auto cpu_ns = 1e9 * (process_cpu_seconds() - cpu_before);
  const auto now = loader.snapshot();
  const auto report = loader.report();
  state.SetItemsProcessed(static_cast<std::int64_t>(seen));
  state.SetBytesProcessed(static_cast<std::int64_t>(seen * options.shape.values()));
  state.counters["peak_bytes"] = static_cast<double>(now.memory.peak);
  state.counters["index_bytes"] = static_cast<double>(now.memory[Account::index]);
  state.counters["encoded_bytes"] = static_cast<double>(encoded);
  state.counters["ready_share"] = report.queue.data_readiness;
  const auto postings = static_cast<double>(ledger()->postings() - before);
  static const double posting_ns = report::measure_posting_ns();
  state.counters["postings/img"] = postings / static_cast<double>(now.samples.drawn);
  state.counters["ns/posting"] = posting_ns;
  state.counters["books_share"] = postings * posting_ns / cpu_ns;
}

Options options(std::int64_t workers, std::int64_t max_queue_size) {
  Options wish{
      .shape = {224, 224}, .batch = batch_size, .workers = static_cast<std::uint32_t>(workers)};
  wish.queue.max_queue_size = static_cast<std::uint32_t>(max_queue_size);
  wish.memory.ledger = ledger();
  return wish;
}

void pipeline(benchmark::State& state) {
  drain(state, options(state.range(0), state.range(1)), [](const Batch&) {});
}
BENCHMARK(pipeline)
    ->ArgNames({"workers", "queue"})
    ->ArgsProduct({{1, 2}, {1, 2, 4, 8}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void pipeline_to_float32(benchmark::State& state) {
  const Converter<float> to_float(imagenet);
  std::vector<float> floats(batch_size * Shape{224, 224}.values());
  drain(state, options(2, 4), [&](const Batch& batch) {
    const auto block = batch.pixels();
    to_float(block, std::span(floats).first(block.pixels.size()));
  });
}
BENCHMARK(pipeline_to_float32)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
