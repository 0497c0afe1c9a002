#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "proof/injection/scenario_parts.hpp"

namespace weir::test {
namespace {

using namespace std::chrono_literals;

const AnySource& jpegs() {
  static const auto source = image_folder(image_data("jpeg"));
  return source;
}

void drain_whole(const AnySource& source, const Options& options) {
  Loader loader(source, options);
  const auto rows = drain(loader);
  check(loader, {FaultKind::memory});
  const Pause pause;
  if (rows != loader.size()) wrong("rows are missing");
}

/// A request and its batch, when it has arrived.
class Asked {
 public:
  explicit Asked(Stream& stream) {
    stream.async_next([this](const std::exception_ptr& error, std::optional<Batch> batch) {
      const std::lock_guard lock(mutex_);
      error_ = error;
      batch_ = std::move(batch);
      told_ = true;
      come_.notify_all();
    });
  }
  std::optional<Batch> wait() {
    std::unique_lock lock(mutex_);
    come_.wait(lock, [this] { return told_; });
    if (error_) std::rethrow_exception(error_);
    return std::move(batch_);
  }
  bool told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable come_;
  std::exception_ptr error_;
  std::optional<Batch> batch_;
  bool told_ = false;
};

/// The first sample takes long.
class Slow {
 public:
  std::uint64_t size() const { return jpegs().size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    if (i == 0) std::this_thread::sleep_for(8ms);
    return jpegs().read(i, sink);
  }
  std::string name(std::uint64_t i) const { return jpegs().name(i); }
  std::uint64_t index_bytes() const { return 0; }
};

}  // namespace

void own_sizes() {
  auto options = small(OnFault::blank);
  auto& sizes = options.sizes;
  options.workers = 3;
  options.fit = Fit::center;
  sizes.index = measure_sizes(jpegs(), options);
  {
    const Pause pause;
    for (std::uint64_t i = 0; i < jpegs().size(); ++i)
      if ((*sizes.index)[i] == ImageSize{}) wrong("a size was lost");
  }
  options.workers = 1;
  for (const auto mode : {Sizes::padded, Sizes::ragged}) {
    sizes.mode = mode;
    if (mode == Sizes::ragged) sizes.max_height = 45;
    sizes.bucket_batches = mode == Sizes::padded ? 2 : 0;
    drain_whole(jpegs(), options);
  }
  // The Loader measures the sizes itself.
  sizes.index = nullptr;
  drain_whole(jpegs(), options);
}

Scenario measuring_scenario() {
  static const auto& source = jpegs();
  return {"measure sizes", [] {
            auto options = small(OnFault::blank);
            options.workers = 3;
            const auto sizes = measure_sizes(source, options);
            const Pause pause;
            for (std::uint64_t i = 0; i < source.size(); ++i)
              if ((*sizes)[i] == ImageSize{}) wrong("a size was lost");
          }};
}

void transforms() {
  auto options = small(OnFault::blank);
  options.annotation_bytes = 8;
  options.transform.input = TransformInput::fitted;
  options.transform.scratch_bytes = 4096;
  options.transform.apply = [](DecodedSample& sample) {
    sample.annotation.resize(8);
    const auto bytes = sample.annotation.bytes();
    std::pmr::vector<std::byte> copy(bytes.begin(), bytes.end(), sample.scratch);
    copy.resize(1024, std::byte{7});
    std::ranges::copy_n(copy.rbegin(), std::ssize(bytes), bytes.begin());
  };
  drain_whole(jpegs(), options);

  static const auto pairs = with_plane(jpegs(), "second", jpegs());
  options.planes = {{.name = "second", .pixels = PixelFormat::rgb8}};
  drain_whole(pairs, options);
}

void ask_without_waiting() {
  Loader loader(jpegs(), small(OnFault::blank));
  std::uint64_t rows = 0;
  {
    auto stream = loader.stream();
    for (;;) {
      const auto batch = Asked(stream).wait();
      if (!batch) break;
      rows += batch->size();
    }
  }
  check(loader, {FaultKind::memory});
  if (rows != loader.size()) wrong("rows are missing");
  std::optional<Stream> stream = loader.stream();
  const auto held = Asked(*stream).wait();
  Asked never(*stream);  // the only lease is in use
  stream.reset();
  if (!never.told()) wrong("nobody told who had asked");
  if (never.wait()) wrong("a batch beyond the leases");
}

void epochs_and_requests() {
  Loader loader(jpegs(), small(OnFault::blank));
  std::uint64_t rows = 0, epochs = 0;
  for (auto epoch : loader.epochs(3, {.rest = true})) {
    ++epochs;
    for (const Batch& batch : epoch) {
      rows += batch.size();
      if (epoch.number() == 1) break;
    }
  }
  if (epochs != 3 || rows != 2 * loader.size() + 2) wrong("epochs or rows are missing");
  {
    auto requests = loader.requests({.max_outstanding = 2});
    requests.ask({3, 0});
    requests.ask({1});
    for (const Batch& batch : requests) rows += batch.size();
    if (!requests.finished() && !requests.outstanding().empty()) wrong("requests are left");
  }
  check(loader, {FaultKind::memory});
  if (rows != 2 * loader.size() + 5) wrong("requested rows are missing");
}

void watched() {
  auto options = small(OnFault::blank);
  options.watchdog.after = 1ms;
  std::atomic<std::uint64_t> told{0};
  options.watchdog.on_stall = [&told](const std::string& text) { told += text.size(); };
  Loader loader(Slow(), options);
  const auto rows = drain(loader);
  check(loader, {FaultKind::memory});
  const auto report = loader.report();
  const Pause pause;
  if (rows != loader.size()) wrong("rows are missing");
  if (report.stalls.size() > told) wrong("a stall that nobody was told of");
}

}  // namespace weir::test
