#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "codec/decoder.hpp"
#include "images.hpp"

namespace {

using namespace weir;
using namespace weir::bench;

constexpr Shape shape{224, 224};

/// Decodes what `next` deals, sample after sample, each into a row of its own. Images that failed.
std::uint64_t decode_share(const std::vector<MemorySample>& samples, std::atomic<std::size_t>& next,
                           std::uint8_t* rows) {
  codec::Decoder decoder({.fit = {shape, Fit::center, 256}});
  std::vector<std::byte> memory;
  const std::atomic<bool> cancelled{false};
  std::uint64_t failed = 0;
  for (std::size_t i = next++; i < samples.size(); i = next++) {
    const auto& bytes = samples[i].bytes;
    const auto info = decoder.probe(bytes);
    if (!info) {
      ++failed;
      continue;
    }
    const auto wanted = decoder.scratch_bytes(*info, 0);
    memory.resize(std::max(memory.size(), wanted + 64));
    void* start = memory.data();
    auto space = memory.size();
    std::align(64, wanted, start, space);
    failed += !decoder.decode(bytes, *info, 0, {static_cast<std::byte*>(start), wanted}, cancelled,
                              {rows + i * shape.values(), shape.values()});
  }
  return failed;
}

/// The decoding of `pipeline`, and nothing of weir around it: no queue, no order, no books.
void bare_loop(benchmark::State& state) {
  const auto samples = images(64);
  std::vector<std::uint8_t> rows(samples.size() * shape.values());
  std::atomic<std::uint64_t> failed{0};
  while (state.KeepRunning()) {
    std::atomic<std::size_t> next{0};
    std::vector<std::jthread> threads;
    for (std::int64_t worker = 0; worker < state.range(0); ++worker)
      threads.emplace_back([&] { failed += decode_share(samples, next, rows.data()); });
  }
  if (failed != 0) state.SkipWithError("an image did not decode");
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(samples.size()));
}
BENCHMARK(bare_loop)->ArgName("workers")->Arg(1)->Arg(2)->UseRealTime()->Unit(
    benchmark::kMillisecond);

}  // namespace
