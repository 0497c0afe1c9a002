// ResNet-18 with a usual setup (bfloat16, channels last), fed by weir::device_batches. See ../README.md.
#include <ATen/Context.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <weir/interop/torch_device.hpp>
#include <weir/memory.hpp>
#include <weir/weir.hpp>

#include "../process_memory.hpp"
#include "options.hpp"
#include "training.hpp"

namespace {

using namespace resnet_gpu;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A source that repeats the samples of another.
struct Repeated {
  weir::AnySource source;
  std::uint64_t times;
  std::uint64_t size() const { return source.size() * times; }
  weir::Encoded read(std::uint64_t i, weir::ByteSink& sink) const {
    return source.read(i % source.size(), sink);
  }
  std::string name(std::uint64_t i) const { return source.name(i % source.size()); }
  std::uint64_t index_bytes() const { return source.index_bytes(); }
  std::vector<std::string> class_names() const { return source.class_names(); }
};

weir::AnySource source_of(const Options& options) {
  const auto images = options.folder.empty()
                          ? weir::synthetic(options.images, {options.side + 32, options.side + 64})
                          : weir::image_folder(options.folder);
  return options.repeat > 1 ? weir::AnySource(Repeated{images, options.repeat}) : images;
}

weir::Options loader_options(const Options& options, std::uint64_t images) {
  weir::Options wanted;
  wanted.shape = {options.side, options.side};
  wanted.fit = options.cached ? weir::Fit::center : weir::Fit::random;
  wanted.order = weir::Order::shuffle();
  wanted.batch = options.batch;
  wanted.workers = options.workers;
  wanted.queue = {.max_queue_size = options.queue, .max_leases = options.prefetch};
  if (options.pinned) wanted.memory.upstream = std::make_shared<weir::PinnedMemory>();
  if (options.cached)  // all samples, and the cache's bytes beside the pixels
    wanted.cache = {
        .keep = weir::Cache::decoded,
        .max_bytes = images * (weir::image_bytes(wanted.shape, weir::PixelFormat::rgb8) + 4096)};
  wanted.drop_last = true;
  return wanted;
}

/// bfloat16 only on a GPU.
weir::DeviceOptions device_options(const Options& options) {
  const auto input = options.device == "cpu" ? torch::kFloat32 : torch::kBFloat16;
  return {.prefetch = options.prefetch,
          .dtype = options.copies_only() ? torch::kUInt8 : input,
          .normalize = weir::imagenet,
          .memory_format = torch::MemoryFormat::ChannelsLast};
}

std::int64_t classes_of(const weir::AnySource& source) {
  return std::max<std::int64_t>(10, static_cast<std::int64_t>(source.class_names().size()));
}

/// Waits for all work that this thread has submitted to the device.
void wait_for(torch::Device device) {
  const auto* const guard = c10::impl::getDeviceGuardImpl(device.type());
  guard->synchronizeStream(guard->getStream(device));
}

int train(const Options& options) {
  const torch::Device device(options.device);
  const auto source = source_of(options);
  weir::Loader loader(source, loader_options(options, source.size()));
  Trainer trainer(options.deep, classes_of(source), device, options.learning_rate);
  double first = 0, last = 0;
  weir::DeviceBatches batches(loader, device, device_options(options), {.epochs = options.epochs});
  for (std::uint64_t epoch = 0; epoch < options.epochs; ++epoch) {
    const auto start = Clock::now();
    auto sum = torch::zeros({}, device);
    for (auto left = loader.batches_per_epoch(); left > 0; --left) {
      const auto batch = batches.next().value();
      sum += trainer.step(batch.images, batch.labels);
    }
    const auto steps = static_cast<double>(loader.batches_per_epoch());
    last = sum.item<double>() / steps;
    if (epoch == 0) first = last;
    std::printf("epoch %llu  loss %.4f  %.0f images/s\n",
                static_cast<unsigned long long>(epoch + 1), last,
                steps * options.batch / seconds_since(start));
  }
  return options.epochs < 2 || last < first ? 0 : 1;
}

/// Calls `step`, which returns its number of images, for `seconds`. Returns images a second. `step`
/// itself counts the `lost` seconds of the calling thread.
template <class Step>
double rate_of(double seconds, torch::Device device, Step step) {
  wait_for(device);
  const auto start = Clock::now();
  double images = 0;
  while (seconds_since(start) < seconds) images += step();
  wait_for(device);
  return images / seconds_since(start);
}

/// The network alone on one batch; the pixels are normalised at each step, or once.
void measure_alone(const Options& options, torch::Device device) {
  Trainer trainer(options.deep, 1000, device, options.learning_rate);
  const std::int64_t batch = options.batch, side = options.side;
  const auto pixels = torch::randint(256, {batch, side, side, 3},
                                     torch::TensorOptions(torch::kUInt8).device(device))
                          .permute({0, 3, 1, 2});
  const auto labels =
      torch::randint(1000, {batch}, torch::TensorOptions(torch::kInt64).device(device));
  const weir::interop::DeviceNormalizer normalize(device_options(options), device);
  const auto images = normalize(pixels);
  const auto step = [&] {
    trainer.step(options.measure == "alone" ? images : normalize(pixels), labels);
    return options.batch;
  };
  rate_of(options.warm, device, step);
  std::printf("{\"rate\": %.1f}\n", rate_of(options.seconds, device, step));
}

/// The upper bound for a loader's slabs: the same memory copied by a bare loop, two copies in flight.
void measure_bare(const Options& options, torch::Device device) {
  if (device.is_cpu()) throw std::runtime_error("bare: nothing is copied to a CPU");
  auto wanted = loader_options(options, 0);
  const auto plan = weir::resolve(wanted, 0);
  auto memory =
      wanted.memory.upstream ? wanted.memory.upstream : std::make_shared<weir::PageMemory>();
  const auto bytes = static_cast<std::int64_t>(plan.row_values() * plan.batch);
  std::vector<torch::Tensor> slabs;
  for (std::uint32_t i = 0; i < plan.slabs; ++i) {
    auto* const data = memory->allocate(plan.slab_bytes, 4096);
    slabs.push_back(torch::from_blob(
        data, {bytes}, [&, data](void*) { memory->deallocate(data, plan.slab_bytes, 4096); },
        torch::kUInt8));
    slabs.back().random_(0, 256);
  }
  const auto* const guard = c10::impl::getDeviceGuardImpl(device.type());
  const auto stream = guard->getStream(device);
  std::vector<torch::Tensor> places;
  std::deque<weir::interop::DeviceEvent> ends;
  for (int i = 0; i < 2; ++i) {
    places.push_back(torch::empty({bytes}, torch::TensorOptions(torch::kUInt8).device(device)));
    ends.emplace_back(*guard, stream.device_index());
  }
  std::size_t number = 0;
  const auto step = [&] {
    const auto place = number % 2;
    while (!ends[place].done()) continue;
    places[place].copy_(slabs[number++ % slabs.size()], true);
    ends[place].record(stream);
    return options.batch;
  };
  rate_of(options.warm, device, step);
  std::printf("{\"rate\": %.1f}\n", rate_of(options.seconds, device, step));
}

/// Keeps the calling thread at most two steps ahead of the device. Otherwise another call would
/// wait for the network, perhaps next().
class Pace {
 public:
  explicit Pace(torch::Device device)
      : guard_(device.is_cpu() ? nullptr : c10::impl::getDeviceGuardImpl(device.type())) {
    for (int i = 0; i < 2 && guard_; ++i)
      ends_.emplace_back(*guard_, guard_->getStream(device).device_index());
  }
  /// Call it before a step.
  void wait() {
    while (guard_ && !ends_[number_ % 2].done())
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  /// Call it after the step.
  void stepped(torch::Device device) {
    if (!guard_) return;
    ends_[number_++ % 2].record(guard_->getStream(device));
  }

 private:
  const weir::interop::DeviceGuard* guard_;
  std::deque<weir::interop::DeviceEvent> ends_;  ///< of the last two steps
  std::size_t number_ = 0;
};

/// Batches by weir, with or without the network's steps.
void measure_loader(const Options& options, torch::Device device) {
  Trainer trainer(options.deep, 1000, device, options.learning_rate);
  const std::int64_t side = options.side;
  const auto on_device = torch::TensorOptions(device);
  // libtorch's own memory is allocated before the loader's memory is measured.
  const auto pixels =
      torch::randint(256, {options.batch, side, side, 3}, on_device.dtype(torch::kUInt8))
          .permute({0, 3, 1, 2});
  const weir::interop::DeviceNormalizer normalize(device_options(options), device);
  for (int i = 0; i < 3 && !options.copies_only(); ++i)
    trainer.step(normalize(pixels), torch::zeros({options.batch}, on_device.dtype(torch::kInt64)));
  wait_for(device);
  const auto before = trainer::pss_bytes();

  const auto source = source_of(options);
  const auto wanted = loader_options(options, source.size());
  weir::Loader loader(source, wanted);
  weir::DeviceBatches batches(loader, device, device_options(options), {.epochs = std::nullopt});
  torch::Tensor loss;
  std::uint64_t steps = 0;
  std::chrono::nanoseconds in_next{0};
  Pace pace(device);
  const auto step = [&] {
    if (!options.copies_only()) pace.wait();
    const auto asked = Clock::now();
    const auto batch = batches.next().value();
    in_next += Clock::now() - asked;
    if (!options.copies_only()) {
      loss = trainer.step(batch.images, batch.labels);
      pace.stepped(device);
    }
    // As a trainer that reads its loss now and then.
    if (++steps % 20 == 0 && loss.defined()) loss.item<float>();
    return static_cast<std::uint32_t>(batch.images.size(0));
  };
  for (auto left = loader.batches_per_epoch(); left > 0; --left) step();  // fills a cache
  rate_of(options.warm, device, step);
  loader.ledger().reset_peak();
  const auto times = batches.times();
  const auto at_start = Clock::now();
  in_next = {};
  const auto rate = rate_of(options.seconds, device, step);
  const auto share = [seconds = seconds_since(at_start)](std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count() / seconds;
  };
  trainer::wait_until_still();
  const auto memory = loader.snapshot().memory;
  std::printf(
      "{\"rate\": %.1f, \"in_next\": %.5f, \"waiting\": %.5f, \"copying\": %.5f, \"live\": %llu, "
      "\"peak\": %llu, \"grown\": %lld, \"slab_bytes\": %llu, \"slabs\": %u, \"device\": %llu, "
      "\"loss\": %.4f",
      rate, share(in_next), share(batches.times().waiting - times.waiting),
      share(batches.times().copying - times.copying), static_cast<unsigned long long>(memory.live),
      static_cast<unsigned long long>(memory.peak),
      static_cast<long long>(trainer::pss_bytes()) - static_cast<long long>(before),
      static_cast<unsigned long long>(loader.plan().slab_bytes), loader.plan().slabs,
      static_cast<unsigned long long>(batches.device_bytes()),
      loss.defined() ? loss.item<double>() : 0.0);
  if (const auto* const pinned =
          dynamic_cast<const weir::PinnedMemory*>(wanted.memory.upstream.get()))
    std::printf(", \"pinned\": %llu, \"note\": \"%s\"",
                static_cast<unsigned long long>(pinned->use().locked), pinned->note().c_str());
  std::puts("}");
}

}  // namespace

int main(int argc, char** argv) try {
  const auto options = parse(argc, argv);
  torch::manual_seed(1);
  at::globalContext().setBenchmarkCuDNN(true);
  const torch::Device device(options.device);
  if (options.measure.empty()) return train(options);
  if (options.measure == "bare")
    measure_bare(options, device);
  else if (options.measure == "alone" || options.measure == "normalise")
    measure_alone(options, device);
  else
    measure_loader(options, device);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "resnet_gpu: %s\n", error.what());
  return 1;
}
