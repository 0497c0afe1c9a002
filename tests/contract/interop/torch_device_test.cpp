#include "weir/interop/torch_device.hpp"

#include <torch/cuda.h>

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "contract/interop/scene.hpp"
#include "support/skip.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// The device of a thread. Another one than that of the events, until it is set.
thread_local c10::DeviceIndex device_here = 0;

/// Streams and events without a device: tensors are on the CPU, and an event ends after a number of queries.
class FakeDevice final : public interop::DeviceGuard {
 public:
  explicit FakeDevice(int looks = 0) : looks_(looks) {}
  ~FakeDevice() override { CHECK(events_.empty()); }

  c10::DeviceType type() const override { return c10::DeviceType::CPU; }
  c10::Device exchangeDevice(c10::Device device) const override {
    return {c10::DeviceType::CPU, std::exchange(device_here, device.index())};
  }
  c10::Device getDevice() const override { return {c10::DeviceType::CPU, -1}; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    device_here = device.index();
  }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  c10::Stream getStream(c10::Device) const noexcept override { return current_; }
  c10::Stream getStreamFromGlobalPool(c10::Device, bool) const override { return stream(copies); }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override {
    return std::exchange(current_, stream);
  }

  void record(void** event, const c10::Stream& stream, c10::DeviceIndex,
              c10::EventFlag) const override {
    TORCH_CHECK(!lacks_events, "no event is left");
    const std::lock_guard lock(mutex_);
    if (!*event) *event = *events_.insert(new int).first;
    *static_cast<int*>(*event) = looks_;
    said += stream.id() == copies ? " copied" : " used";
  }
  void block(void*, const c10::Stream& stream) const override {
    said += stream.id() == copies ? " copies-wait" : " reader-waits";
  }
  /// The loader's own thread calls it, too.
  bool queryEvent(void* event) const override {
    const std::lock_guard lock(mutex_);
    TORCH_CHECK(!lost, "the device is lost");
    TORCH_CHECK(device_here == getDevice().index(), "the thread has another device");
    return (*static_cast<int*>(event))-- <= 0;
  }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override {
    const std::lock_guard lock(mutex_);
    auto* const known = static_cast<int*>(event);
    events_.erase(known);
    delete known;
  }
  void synchronizeStream(const c10::Stream& stream) const override {
    CHECK(stream.id() == copies);
    if (on_wait) on_wait();
    TORCH_CHECK(!lost, "the device is lost");
    const std::lock_guard lock(mutex_);
    for (auto* const looks : events_) *looks = 0;
  }
  void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream& stream) const override {
    CHECK(stream.id() == trainers);
    ++told_allocator;
  }

  static constexpr c10::StreamId trainers = 0, copies = 7;
  mutable std::string said;  ///< the calls on streams, in order
  mutable int told_allocator = 0;
  std::atomic<bool> lost = false;
  bool lacks_events = false;
  std::function<void()> on_wait;  ///< called when the host waits for the copies

 private:
  static c10::Stream stream(c10::StreamId id) {
    return c10::Stream(c10::Stream::UNSAFE, c10::Device(c10::DeviceType::CPU, -1), id);
  }
  int looks_;
  mutable std::mutex mutex_;
  mutable std::set<int*> events_;  ///< the number of queries until each event ends
  mutable c10::Stream current_ = stream(trainers);
};

constexpr int forever = 1 << 30;

Options two_leases() {
  auto options = small_options();
  options.order = Order::shuffle();
  options.queue.max_leases = 2;
  options.faults.policy = OnFault::skip;
  return options;
}

/// Waits for a full queue, so that the copies ahead do not depend on time.
void wait_for_ready(const Loader& loader) {
  while (loader.snapshot().ready < loader.plan().max_queue_size) std::this_thread::yield();
}

/// Compares all batches with those of the loader. Their images are within `error` of the result of a Converter.
void check_same(DeviceBatches& batches, Loader& other, const StreamOptions& stream,
                const DeviceOptions& options, double error) {
  const Converter<float> to_float(options.dtype == torch::kUInt8 ? Normalize{.scale = 1}
                                                                 : options.normalize);
  auto wanted = other.stream(stream);
  std::uint64_t seen = 0;
  for (auto& [images, labels, rows, receipt] : batches) {
    const auto batch = wanted.next().value();
    CHECK(images.scalar_type() == options.dtype);
    CHECK(images.is_contiguous(options.memory_format));
    const auto pixels = to_tensor(batch.pixels(), to_float);
    REQUIRE(images.sizes() == pixels.sizes());
    CHECK((images.to(torch::kCPU, torch::kFloat32) - pixels).abs().max().item<double>() <= error);
    CHECK(labels.cpu().equal(interop::borrowed(batch.labels())));
    CHECK(std::ranges::equal(rows.indices, batch.indices()));
    CHECK(std::ranges::equal(rows.statuses, batch.statuses()));
    CHECK(rows.sequence == batch.sequence());
    CHECK(rows.epoch == batch.epoch());
    ++seen;
  }
  CHECK_FALSE(wanted.next());
  CHECK(seen > 0);
}

void check_all_options(torch::Device device, const interop::DeviceGuard* guard) {
  const Flawed source(41, 9);
  const StreamOptions twice{.epochs = 2};
  const std::map<torch::ScalarType, double> errors{{torch::kFloat32, guard ? 1e-6 : 0},
                                                   {torch::kFloat16, 2e-3},
                                                   {torch::kBFloat16, 2e-2},
                                                   {torch::kUInt8, 0}};
  for (const auto prefetch : {1u, 2u, 5u})
    for (const auto& [dtype, error] : errors)
      for (const auto format :
           {torch::MemoryFormat::Contiguous, torch::MemoryFormat::ChannelsLast}) {
        CAPTURE(guard, prefetch, dtype, format);
        const DeviceOptions options{prefetch, dtype, imagenet, format};
        Loader loader(source, two_leases()), other(source, two_leases());
        {
          DeviceBatches batches(loader, device, options, twice, guard);
          check_same(batches, other, twice, options, error);
          CHECK(batches.device_bytes() <= (guard ? prefetch : 0) * 4 * (16 * 16 * 3 + 8));
        }
        CHECK(loader.snapshot().leased == 0);
        CHECK(loader.snapshot().samples.conserved());
      }
}

}  // namespace

TEST_CASE("batches on a device are the loader's batches", "[interop]") {
  const FakeDevice quick, slow(3);
  const std::array<const FakeDevice*, 3> guards{nullptr, &quick, &slow};
  check_all_options(torch::kCPU, guards.at(GENERATE(0u, 1u, 2u)));
}

TEST_CASE("batches on a CUDA device are the loader's batches", "[interop]") {
  if (!torch::cuda::is_available()) {
    skip("no CUDA device");
    return;
  }
  check_all_options(torch::kCUDA, c10::impl::getDeviceGuardImpl(c10::DeviceType::CUDA));
}

TEST_CASE("a device gets own-size images padded and refuses ragged ones", "[interop][sizes]") {
  auto options = two_leases();
  options.sizes.mode = Sizes::padded;
  const FakeDevice device;
  const auto source = synthetic(22, {24, 30}, 3);
  Loader loader(source, options), other(source, options);
  {
    DeviceBatches batches(loader, torch::kCPU, {}, {}, &device);
    check_same(batches, other, {}, {}, 1e-6);
  }
  options.sizes.mode = Sizes::ragged;
  Loader ragged(source, options);
  CHECK_THROWS_WITH(device_batches(ragged, torch::kCPU), has_text("`sizes.mode` = ragged"));
  Options rows_as_read;
  rows_as_read.decode = Decode::none;
  Loader encoded(source, rows_as_read);
  CHECK_THROWS_WITH(device_batches(encoded, torch::kCPU), has_text("`decode` = none"));
}

TEST_CASE("a device converts each format by colour", "[interop]") {
  const FakeDevice device;
  const auto source = synthetic(10, {24, 24}, 3);
  for (const auto format : {PixelFormat::bgr8, PixelFormat::rgba8, PixelFormat::grey8}) {
    CAPTURE(to_string(format));
    auto pixels = two_leases();
    pixels.pixels = format;
    const DeviceOptions options{.normalize = format == PixelFormat::grey8 ? Normalize{} : imagenet};
    Loader loader(source, pixels), other(source, pixels);
    DeviceBatches batches(loader, torch::kCPU, options, {}, &device);
    check_same(batches, other, {}, options, 1e-6);
  }
  // Values of 16 bits, from the bytes that were copied.
  Scene scene;
  for (const auto& block : scene.blocks_of_each_type()) {
    if (value_bytes(block.format) == 1) continue;
    const DeviceOptions options{.normalize = {.mean = {0.4, 0.4, 0.4}, .stddev = {0.2, 0.2, 0.2}}};
    const interop::DeviceNormalizer normalize(options, torch::kCPU, block.format);
    const auto images = normalize(interop::as_images(interop::borrowed(block.pixels),
                                                     interop::sizes_of(block), block.format));
    const auto wanted = to_tensor(block, Converter<float>(options.normalize));
    CHECK((images - wanted).abs().max().item<double>() <= 2e-6);
  }
}

TEST_CASE("a slab without an event returns when the copies have ended", "[interop]") {
  FakeDevice device;
  Loader loader(synthetic(40, {24, 24}, 3), two_leases());
  DeviceBatches batches(loader, torch::kCPU, {}, {}, &device);
  std::uint64_t leased = 0;
  device.on_wait = [&] { leased = loader.snapshot().leased; };
  device.lacks_events = true;
  CHECK_THROWS_WITH(batches.next(), has_text("no event is left"));
  device.on_wait = nullptr;
  CHECK(leased == 1);
  CHECK(loader.snapshot().leased == 0);
}

TEST_CASE("a batch comes again if it could not be handed over", "[interop]") {
  FakeDevice device;
  Loader loader(synthetic(40, {24, 24}, 3), two_leases());
  DeviceBatches batches(loader, torch::kCPU, {}, {}, &device);
  wait_for_ready(loader);
  CHECK(batches.next()->rows.sequence == 0);
  device.lacks_events = true;  // for the conversion: the second batch is already copied
  CHECK_THROWS_WITH(batches.next(), has_text("no event is left"));
  device.lacks_events = false;
  CHECK(batches.progress() == loader.progress_after(1));
  for (std::uint64_t step = 1; auto batch = batches.next(); ++step) {
    CHECK(batch->rows.sequence == step);
    CHECK(batch->rows.indices.size() == 4);
    CHECK(batches.progress() == loader.progress_after(step));
  }
  CHECK(batches.progress() == loader.progress_after(10));
}

TEST_CASE("a slab stays leased during its copy and nobody waits for it", "[interop]") {
  const FakeDevice device(forever);
  auto options = two_leases();
  options.memory.ledger = std::make_shared<MemoryLedger>(std::nullopt);
  {
    Loader loader(synthetic(40, {24, 24}, 3), options);
    DeviceBatches batches(loader, torch::kCPU, {.prefetch = 2}, {}, &device);
    wait_for_ready(loader);
    CHECK(batches.next()->rows.sequence == 0);
    CHECK(loader.snapshot().leased == 2);
    CHECK(batches.next()->rows.sequence == 1);
    CHECK(loader.snapshot().leased == 2);
    CHECK(device.said == " copied copied reader-waits used copied copied reader-waits used");
    CHECK(device.told_allocator == 4);
    device.synchronizeStream(batches.copies().value());
    while (loader.snapshot().leased > 0) std::this_thread::yield();
  }
  CHECK(options.memory.ledger->snapshot().live == 0);
}

TEST_CASE("copies under way have ended when the batches are gone", "[interop]") {
  const FakeDevice device(forever);
  Loader loader(synthetic(40, {24, 24}, 3), two_leases());
  for (std::uint64_t seen = 0; seen < 3; ++seen) {
    DeviceBatches batches(loader, torch::kCPU, {}, {}, &device);
    for (std::uint64_t i = 0; i < seen; ++i) CHECK(batches.next());
  }
  auto stream = loader.stream();
  std::uint64_t count = 0;
  for (const auto& batch : stream) count += batch.size();
  CHECK(count == 40);
  CHECK(loader.snapshot().leased == 0);
}

TEST_CASE("a place on the device is written again after what reads it", "[interop]") {
  const FakeDevice device;
  Loader loader(synthetic(40, {24, 24}, 3), two_leases());
  DeviceBatches batches(loader, torch::kCPU, {.prefetch = 1}, {}, &device);
  wait_for_ready(loader);
  for (int i = 0; i < 3; ++i) CHECK(batches.next());
  const std::string first = " copied copied reader-waits used", again = " copies-wait" + first;
  CHECK(device.said == first + again + again + " copies-wait copied copied");
  CHECK(batches.times().copying.count() > 0);
  CHECK(batches.times().waiting.count() > 0);
}

TEST_CASE("10,000 batches with three leases by event equal the loader's", "[interop]") {
  auto options = two_leases();
  options.queue.max_leases = 3;
  options.cache = {.keep = Cache::decoded, .max_bytes = 1 << 20};
  const FakeDevice device(5);
  const Flawed source(40, 9);
  Loader loader(source, options), other(source, options);
  const StreamOptions epochs{.epochs = 1000};
  DeviceBatches batches(loader, torch::kCPU, {.prefetch = 3, .dtype = torch::kUInt8}, epochs,
                        &device);
  auto wanted = other.stream(epochs);
  std::uint64_t same = 0;
  for (const auto& [images, labels, rows, receipt] : batches) {
    const auto batch = wanted.next().value();
    const auto pixels = images.permute({0, 2, 3, 1}).contiguous();
    same += rows.sequence == batch.sequence() &&
            std::ranges::equal(rows.indices, batch.indices()) &&
            std::ranges::equal(rows.statuses, batch.statuses()) &&
            labels.equal(interop::borrowed(batch.labels())) &&
            std::memcmp(pixels.data_ptr(), batch.pixels().pixels.data(), pixels.nbytes()) == 0;
  }
  CHECK(same == 10000);
  CHECK(loader.snapshot().samples.conserved());
  CHECK(sum(loader.snapshot().memory) == loader.snapshot().memory.live);
}

TEST_CASE("an error comes after the batches that were before it", "[interop]") {
  auto options = two_leases();
  options.order = weir::Order::sequential();
  options.faults.policy = OnFault::stop;
  const FakeDevice device;
  const auto* const guard = GENERATE(false, true) ? &device : nullptr;
  Loader loader(Flawed(40, 11),
                options);  // the fourth row is bad in the first batch, then the 15th
  DeviceBatches batches(loader, torch::kCPU, {.prefetch = 4}, {.resume = loader.progress_after(1)},
                        guard);
  CHECK(batches.next()->rows.sequence == 0);
  CHECK(batches.next()->rows.sequence == 1);
  CHECK_THROWS_AS(batches.next(), Error);
  CHECK_FALSE(batches.next());
  CHECK(batches.progress() == loader.progress_after(3));
}

TEST_CASE("progress counts the batches asked for and not those copied", "[interop]") {
  const FakeDevice device;
  Loader loader(synthetic(40, {24, 24}, 3), two_leases());
  DeviceBatches batches(loader, torch::kCPU, {.prefetch = 3}, {}, &device);
  wait_for_ready(loader);
  CHECK(batches.progress() == loader.progress_after(0));
  auto first = batches.next(), second = batches.next();
  CHECK(batches.progress() == loader.progress_after(0));
  first.reset();
  CHECK(batches.progress() == loader.progress_after(1));
  second->receipt.finish();
  CHECK(batches.progress() == loader.progress_after(2));
  batches.cancel();
  while (auto batch = batches.next()) batch->receipt.abandon();
  CHECK(batches.progress() == loader.progress_after(2));
  CHECK(loader.snapshot().samples.conserved());
}

TEST_CASE("a lost device is an error of the loop and all slabs go back", "[interop]") {
  FakeDevice device(forever);
  auto options = two_leases();
  options.memory.ledger = std::make_shared<MemoryLedger>(std::nullopt);
  {
    Loader loader(synthetic(40, {24, 24}, 3), options);
    DeviceBatches batches(loader, torch::kCPU, {}, {}, &device);
    CHECK(batches.next());
    device.lost = true;
    CHECK_THROWS_AS(
        [&] {
          while (batches.next()) continue;
        }(),
        c10::Error);
  }
  CHECK(options.memory.ledger->snapshot().live == 0);
}

TEST_CASE("device batches refuse unsupported options with a reason", "[interop]") {
  Loader loader(synthetic(40, {24, 24}, 3), two_leases());
  const auto ask = [&](const DeviceOptions& options) {
    device_batches(loader, torch::kCPU, options);
  };
  CHECK_THROWS_WITH(ask({.prefetch = 0}), has_text("prefetch is 0"));
  CHECK_THROWS_WITH(ask({.dtype = torch::kInt64}), has_text("dtype is Long"));
  CHECK_THROWS_WITH(ask({.normalize = {.stddev = {1, 0, 1}}}), has_text("stddev"));
  CHECK_THROWS_WITH(ask({.memory_format = torch::MemoryFormat::Preserve}),
                    has_text("memory_format"));
  if (!c10::impl::hasDeviceGuardImpl(c10::DeviceType::CUDA))
    CHECK_THROWS_AS(device_batches(loader, torch::kCUDA), c10::Error);
  auto of_16_bits = two_leases();
  of_16_bits.pixels = PixelFormat::stored16;
  Loader stored(synthetic(4, {24, 24}, 3), of_16_bits);
  CHECK_THROWS_WITH(device_batches(stored, torch::kCPU, {.dtype = torch::kUInt8}),
                    has_text("the pixels are stored16") && !has_text("Float"));
  auto with_mask = two_leases();
  with_mask.planes = {{.name = "mask"}};
  const auto images = synthetic(4, {24, 24}, 3);
  Loader planes(with_plane(images, "mask", images), with_mask);
  CHECK_THROWS_WITH(device_batches(planes, torch::kCPU), has_text("the loader has planes"));
  CHECK(device_batches(loader, torch::kCPU).next());
}
