#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "images.hpp"
#include "ledger.hpp"
#include "report/figures.hpp"
#include "source/delayed.hpp"
#include "weir/weir.hpp"

namespace {

using namespace weir;
using namespace weir::bench;

constexpr std::uint32_t batch_size = 16;

/// Endless epochs over 64 encoded images in memory: decode, fit, queue, hand-over.
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
  state.SetBytesProcessed(
      static_cast<std::int64_t>(seen * image_bytes(options.shape, PixelFormat::rgb8)));
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
  std::vector<float> floats(batch_size * image_values({224, 224}, PixelFormat::rgb8));
  drain(state, options(2, 4), [&](const Batch& batch) {
    const auto block = batch.pixels();
    to_float(block, std::span(floats).first(block.pixels.size()));
  });
}
BENCHMARK(pipeline_to_float32)->UseRealTime()->Unit(benchmark::kMillisecond);

/// Samples a second of a whole stream of `batches`, including its start.
double rate(const AnySource& source, const Options& options, std::uint32_t batches) {
  Loader loader(source, options);
  auto stream = loader.stream({.epochs = std::nullopt});
  for (std::uint32_t i = 0; i < batches; ++i) {
    const auto batch = stream.next();
    benchmark::DoNotOptimize(batch->size());
  }
  return loader.report().throughput.samples_per_s;
}

/// 64 reads of 200 ms each under way. `share` is relative to 64 / 0.2 s or to the decoding rate,
/// whichever is less. It should stay above 0.9.
void slow_reads(benchmark::State& state) {
  constexpr std::uint32_t batches = 80, ahead = 64;
  constexpr double delay_s = 0.2, reads_limit = ahead / delay_s;
  auto wish = options(2, 4);
  wish.batch = 32;
  const auto source = in_memory(images(64));
  const auto decode_limit = rate(source, wish, batches);
  wish.io.read_ahead = ahead;
  double reached = 0;
  for (auto _ : state)
    reached = rate(source::delayed(source, {1000 * delay_s, 0, 0}), wish, batches);
  state.counters["img/s"] = reached;
  state.counters["reads_limit"] = reads_limit;
  state.counters["decode_limit"] = decode_limit;
  state.counters["share"] = reached / std::min(reads_limit, decode_limit);
}
BENCHMARK(slow_reads)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
