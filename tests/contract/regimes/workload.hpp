#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "support/undisturbed.hpp"
#include "weir/weir.hpp"

namespace weir::test {

/// One image in memory, read `count` times. Each read only takes `delay_ms`, which may change during the run.
class SlowSource {
 public:
  struct State {
    std::atomic<int> delay_ms{0};
  };
  SlowSource(std::uint64_t count, ImageSize shape, std::shared_ptr<State> state)
      : image_(encoded(shape)), count_(count), state_(std::move(state)) {}

  std::uint64_t size() const { return count_; }
  Encoded read(std::uint64_t, ByteSink&) const {
    if (const int delay = state_->delay_ms; delay > 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    return {*image_, 0};
  }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return image_->size(); }

 private:
  using Bytes = std::vector<std::byte>;
  static std::shared_ptr<const Bytes> encoded(ImageSize shape) {
    MemorySink sink;
    synthetic(1, shape).read(0, sink);
    return std::make_shared<const Bytes>(sink.parts()[0]);
  }

  std::shared_ptr<const Bytes> image_;
  std::uint64_t count_;
  std::shared_ptr<State> state_;
};

/// Small batches, so that a run of a second has many.
inline Options two_workers() {
  Options options;
  options.shape = {16, 16};
  options.batch = 4;
  options.workers = 2;
  return options;
}

inline constexpr ImageSize little{24, 24};

inline void consume(Stream& stream, int batches, int work_ms) {
  for (int i = 0; i < batches; ++i) {
    const auto batch = stream.next();
    if (!batch) return;
    if (work_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(work_ms));
  }
}

/// Takes batches more slowly than the loader makes them, on any machine: works on each batch until
/// the queue is full, and then three times as long again.
inline void consume_slowly(Loader& loader, Stream& stream, int batches) {
  const auto full = loader.plan().max_queue_size;
  for (int i = 0; i < batches; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    const auto batch = stream.next();
    while (loader.snapshot().ready < full)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(3 * (std::chrono::steady_clock::now() - begun) +
                                std::chrono::milliseconds(5));
  }
}

/// The verdict on such a run.
inline Verdict slow_consumer(const AnySource& source, Options options, int batches) {
  options.queue.max_queue_size = 3;
  Loader loader(source, options);
  auto stream = loader.stream({.epochs = std::nullopt});
  consume_slowly(loader, stream, batches);
  return judge(undisturbed(interval(loader.report())));
}

/// The verdict on a run over `source`, on a machine that does nothing else.
inline Verdict regime_of(const AnySource& source, const Options& options, int batches,
                         int work_ms) {
  Loader loader(source, options);
  auto stream = loader.stream({.epochs = std::nullopt});
  consume(stream, batches, work_ms);
  return judge(undisturbed(interval(loader.report())));
}

}  // namespace weir::test
