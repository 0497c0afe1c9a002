#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "weir/convert.hpp"

namespace {

using namespace weir;

constexpr std::uint32_t count = 64;
constexpr ImageSize shape{224, 224};
constexpr std::size_t values = count * image_values(shape, PixelFormat::rgb8);

std::vector<std::uint8_t> pixels() {
  std::vector<std::uint8_t> all(values);
  for (std::size_t i = 0; i < values; ++i)
    all[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
  return all;
}

// bytes_per_second is the output written, comparable with memset.
void report(benchmark::State& state, std::size_t output_bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(output_bytes) * state.iterations());
  state.counters["images"] = benchmark::Counter(count * static_cast<double>(state.iterations()),
                                                benchmark::Counter::kIsRate);
  state.counters["output_bytes"] = static_cast<double>(output_bytes);
}

template <Element T, Layout layout>
void convert(benchmark::State& state) {
  const auto input = pixels();
  std::vector<T> output(values);
  const Converter<T> converter(imagenet, layout);
  while (state.KeepRunning()) {
    converter({input, count, shape}, output);
    benchmark::ClobberMemory();
  }
  report(state, values * sizeof(T));
}
BENCHMARK(convert<float, Layout::nchw>);
BENCHMARK(convert<float, Layout::nhwc>);
BENCHMARK(convert<float16, Layout::nchw>);
BENCHMARK(convert<float16, Layout::nhwc>);
BENCHMARK(convert<bfloat16, Layout::nchw>);
BENCHMARK(convert<bfloat16, Layout::nhwc>);

// The case of a trainer with micro-batches: the output stays in cache.
void convert_micro_batch(benchmark::State& state) {
  const auto input = pixels();
  const auto micro = static_cast<std::uint32_t>(state.range(0));
  std::vector<float> output(micro * image_values(shape, PixelFormat::rgb8));
  const Converter<float> converter(imagenet);
  while (state.KeepRunning()) {
    for (std::uint32_t first = 0; first < count; first += micro) {
      converter(
          {std::span(input).subspan(first * image_values(shape, PixelFormat::rgb8), output.size()),
           micro, shape},
          output);
      benchmark::ClobberMemory();
    }
  }
  report(state, values * sizeof(float));
}
BENCHMARK(convert_micro_batch)->Arg(1)->Arg(8);

void memset_as_float32(benchmark::State& state) {
  std::vector<float> output(values);
  while (state.KeepRunning()) {
    std::memset(output.data(), static_cast<int>(state.iterations() & 1), values * sizeof(float));
    benchmark::ClobberMemory();
  }
  report(state, values * sizeof(float));
}
BENCHMARK(memset_as_float32);

}  // namespace
