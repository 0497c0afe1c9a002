// The workloads of prediction.cpp and tuning.cpp. Reads, decodes and the consumer of most only sleep, so that
// the number of cores does not matter. Others are real images.
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

#include "measuring.hpp"
#include "source/delayed.hpp"
#include "weir/weir.hpp"

namespace weir::bench {

using Milliseconds = std::chrono::duration<double, std::milli>;

struct Load {
  const char* name;
  double read_ms = 0, read_deviation_ms = 0, decode_ms = 0;
  std::uint32_t batch = 32;
  std::vector<double> consumer_ms{};            ///< repeats
  std::optional<std::uint64_t> budget_bytes{};  ///< with samples as large as photographs
  bool photographs = false;  ///< of WEIR_TEST_DATA, instead of sleeping reads and decodes
  bool small = false;        ///< the same with the images of CIFAR-10
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
  SleepingCodec(double ms, ImageSize shape) : time_(ms), shape_(shape) {}
  bool accepts(std::span<const std::byte> head) const noexcept override { return !head.empty(); }
  Info info(std::span<const std::byte>) const override { return {shape_.width, shape_.height, 0}; }
  void decode(PixelFormat, std::span<const std::byte>, const Info&,
              std::span<std::uint8_t>) const override {
    std::this_thread::sleep_for(time_);
  }

 private:
  Milliseconds time_;
  ImageSize shape_;
};

/// A folder of WEIR_TEST_DATA.
inline std::optional<std::filesystem::path> test_data(const char* part) {
  const char* const data = std::getenv("WEIR_TEST_DATA");
  if (data == nullptr) return std::nullopt;
  const auto folder = std::filesystem::path(data) / part;
  return std::filesystem::is_directory(folder) ? std::optional(folder) : std::nullopt;
}
inline std::optional<std::filesystem::path> photographs() { return test_data("photos"); }

/// Whether memory matters. Then samples are as large as photographs.
inline bool is_bounded(const Load& load) { return load.budget_bytes.has_value(); }

/// Samples of zeros that take charged memory, as files do. Those of in_memory() take none.
class Zeros {
 public:
  static constexpr std::size_t bytes = 110'000;

  std::uint64_t size() const { return 256; }
  std::optional<Encoded> try_read(std::uint64_t, ByteSink& sink) const {
    const auto memory = sink.try_take(bytes);
    if (!memory) return std::nullopt;
    std::ranges::fill(*memory, std::byte{});
    return Encoded{.bytes = *memory};
  }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }
};

inline AnySource source_of(const Load& load) {
  if (load.small) return image_folder(test_data("cifar10")->string());
  if (load.photographs) return image_folder(photographs()->string(), {.extensions = {".jpg"}});
  std::vector<MemorySample> all(1024);
  for (auto& sample : all) sample.bytes.resize(1);
  auto source = is_bounded(load) ? AnySource(Zeros()) : in_memory(std::move(all));
  if (load.read_ms <= 0) return source;
  return source::delayed(std::move(source),
                         source::ReadDelay(load.read_ms, load.read_deviation_ms, 11));
}

/// All but the knobs.
inline Options options_of(const Load& load) {
  Options options{.shape = {224, 224}, .order = Order::shuffle(), .batch = load.batch};
  if (load.small) options.shape = {32, 32};
  if (load.photographs || load.small) return options;
  options.fit = Fit::stretch;
  if (is_bounded(load)) {
    options.memory.budget_bytes = load.budget_bytes;
  } else {
    options.shape = {8, 8};
  }
  options.codecs = {std::make_shared<SleepingCodec>(
      load.decode_ms, is_bounded(load) ? ImageSize{375, 500} : options.shape)};
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

inline double rate(const Interval& w) { return static_cast<double>(w.samples) / w.seconds; }

}  // namespace weir::bench
