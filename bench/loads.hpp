// The workloads of prediction.cpp and tuning.cpp. Reads, decodes and the consumer of most only sleep, so that
// the number of cores does not matter. Two are photographs.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "source/delayed.hpp"
#include "weir/weir.hpp"

namespace weir::bench {

using Milliseconds = std::chrono::duration<double, std::milli>;

struct Load {
  const char* name;
  double read_ms = 0, read_deviation_ms = 0, decode_ms = 0;
  std::uint32_t batch = 32;
  std::vector<double> consumer_ms{};        ///< repeats
  std::uint64_t budget_bytes = UINT64_MAX;  ///< beside the samples, of 16 KiB each
  bool photographs = false;  ///< of WEIR_TEST_DATA, instead of sleeping reads and decodes
};

/// 2 ms for fifteen batches, then 150 ms for one.
inline std::vector<double> bursts() {
  std::vector<double> times(15, 2.0);
  times.push_back(150);
  return times;
}

/// Accepts samples of zeros. A decode only sleeps.
class SleepingCodec final : public ForeignCodec {
 public:
  SleepingCodec(double ms, Shape shape) : time_(ms), shape_(shape) {}
  bool accepts(std::span<const std::byte> head) const noexcept override { return !head.empty(); }
  Info info(std::span<const std::byte>) const override { return {shape_.width, shape_.height, 0}; }
  void decode(std::span<const std::byte>, const Info&, std::span<std::uint8_t>) const override {
    std::this_thread::sleep_for(time_);
  }

 private:
  Milliseconds time_;
  Shape shape_;
};

inline std::optional<std::filesystem::path> photographs() {
  const char* const data = std::getenv("WEIR_TEST_DATA");
  if (data == nullptr) return std::nullopt;
  const auto folder = std::filesystem::path(data) / "photos";
  return std::filesystem::is_directory(folder) ? std::optional(folder) : std::nullopt;
}

inline AnySource source_of(const Load& load) {
  if (load.photographs) return image_folder(photographs()->string(), {.extensions = {".jpg"}});
  constexpr std::uint64_t samples = 1024;
  const std::size_t bytes = load.budget_bytes == UINT64_MAX ? 1 : 16 << 10;
  std::vector<MemorySample> all(samples);
  for (auto& sample : all) sample.bytes.resize(bytes);
  auto source = in_memory(std::move(all));
  if (load.read_ms <= 0) return source;
  return source::delayed(std::move(source),
                         source::ReadDelay(load.read_ms, load.read_deviation_ms, 11));
}

/// All but the knobs.
inline Options options_of(const Load& load) {
  Options options{.shape = {224, 224}, .order = weir::Order::shuffle(), .batch = load.batch};
  if (load.photographs) return options;
  options.shape = {8, 8};
  options.fit = Fit::stretch;
  options.codecs = {std::make_shared<SleepingCodec>(load.decode_ms, options.shape)};
  if (load.budget_bytes == UINT64_MAX) return options;
  options.memory.budget_bytes = load.budget_bytes + source_of(load).index_bytes();
  options.memory.max_sample_bytes = 64 << 10;
  return options;
}

inline void set(Options& options, const Setting& setting) {
  options.queue.max_queue_size = setting.max_queue_size;
  options.workers = setting.workers;
  options.io.read_ahead = setting.read_ahead;
}

/// The consumer's time for its nth batch.
inline void consume(const Load& load, std::uint64_t n) {
  const auto ms = load.consumer_ms[n % load.consumer_ms.size()];
  if (ms > 0) std::this_thread::sleep_for(Milliseconds(ms));
}

inline double rate(const Window& w) { return static_cast<double>(w.samples) / w.seconds; }

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace weir::bench
