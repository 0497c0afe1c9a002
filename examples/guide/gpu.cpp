// docs/guide/feed-a-gpu.md: slabs that a CUDA device copies from, and leases that end after the
// copy. Compiles without CUDA. Without a driver it prints a note and trains on the CPU.
// examples/cuda is a complete program.
#include <cstdio>
#include <memory>
#include <span>
#include <vector>
#include <weir/interop/cuda.hpp>
#include <weir/memory.hpp>
#include <weir/weir.hpp>

namespace {

/// Takes the place of the program's own CUDA code. A real one has a stream and device memory.
struct Trainer {
  CUstream_st* stream = nullptr;
  std::vector<std::uint8_t> device_pixels;
  std::vector<std::int64_t> device_labels;

  // cudaMemcpyAsync(device_pixels, pixels.data(), pixels.size(), cudaMemcpyHostToDevice, stream);
  void copy(std::span<const std::uint8_t> pixels, std::span<const std::int64_t> labels) {
    device_pixels.assign(pixels.begin(), pixels.end());
    device_labels.assign(labels.begin(), labels.end());
  }
  /// Takes the place of a decoder of the program's own.
  void decode(std::span<const std::uint8_t> jpeg, std::uint32_t height, std::uint32_t width) {
    std::printf("%zu bytes of a JPEG of %ux%u\n", jpeg.size(), height, width);
  }
  /// Normalises the pixels and learns from them, on `stream`.
  void step() {}
};

/// The loop of a program with a device.
void train(weir::Loader& loader, Trainer& trainer) {
  for (weir::Batch& batch : loader.stream({.epochs = 10})) {
    trainer.copy(batch.pixel_bytes(), batch.labels());
    weir::release_after(std::move(batch), trainer.stream);
    trainer.step();
  }
}

/// Encoded batches, for a decoder of the program's own.
void train_encoded(Trainer& trainer) {
  weir::Options options{.decode = weir::Decode::none, .batch = 4};
  weir::Loader loader(weir::synthetic(4, {80, 80}), options);
  for (const weir::Batch& batch : loader.stream()) {
    for (const weir::EncodedImage& image : batch.encoded())
      if (image.format == "jpeg") trainer.decode(image.bytes, image.height, image.width);
  }
}

}  // namespace

int main() {
  const auto pinned = std::make_shared<weir::PinnedMemory>();
  weir::Options options{.shape = {64, 64}, .order = weir::Order::shuffle(), .batch = 32};
  options.memory.upstream = pinned;
  options.queue = {.max_queue_size = 4, .max_leases = 3};
  weir::Loader loader(weir::synthetic(96, {80, 80}), options);

  const weir::PinnedPlan& plan = loader.plan().pinned;
  std::printf("%llu bytes to lock, limit %llu bytes\n",
              static_cast<unsigned long long>(plan.slab_bytes),
              static_cast<unsigned long long>(plan.limit_bytes));
  if (!plan.note.empty()) std::printf("%s\n", plan.note.c_str());

  Trainer trainer;
  train_encoded(trainer);
  if (plan.limit_bytes > 0) {
    train(loader, trainer);
    return 0;
  }
  for (const weir::Batch& batch : loader.stream())
    trainer.copy(batch.pixel_bytes(), batch.labels());
  return 0;
}
