#pragma once

#include <torch/types.h>

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weir/convert.hpp"
#include "weir/interop/torch.hpp"
#include "weir/interop/torch_stream.hpp"
#include "weir/loader.hpp"

/// \file
/// Batches on a libtorch device, copied ahead of the trainer. CMake component `torch`. It needs no
/// header of the device, because it uses the streams and events of c10. Written for libtorch 1.13
/// (Debian 12) to 2.11.
namespace weir {

/// Options of device_batches().
struct DeviceOptions {
  /// Batches that are copied ahead; >= 1. Each one needs a slot in device memory, with the size of
  /// its pixels and labels. Each running copy holds a lease. So all copies can run at once if
  /// `queue.max_leases` is at least as large.
  std::uint32_t prefetch = 2;
  /// Type of the images: kFloat32, kFloat16, kBFloat16, or kUInt8 for unchanged pixels of 8 bits.
  torch::ScalarType dtype = torch::kFloat32;
  Normalize normalize{};  ///< applied on the device; no effect if dtype is kUInt8
  torch::MemoryFormat memory_format = torch::MemoryFormat::Contiguous;  ///< or ChannelsLast
};

/// Information about the rows of a batch, in host memory. See Batch.
struct BatchRows {
  std::uint64_t epoch = 0;             ///< from 0
  std::uint64_t sequence = 0;          ///< position in the stream: 0, 1, 2 …
  std::vector<std::uint64_t> indices;  ///< indices of samples in the source
  std::vector<RowStatus> statuses;     ///< which rows have a fault
};

/// A batch on the device. The caller owns the tensors. They are allocated on its current stream.
struct DeviceBatch {
  torch::Tensor images;  ///< N x C x H x W, with the format's order of channels
  torch::Tensor labels;  ///< N, int64
  BatchRows rows;        ///< information about the rows
  Receipt receipt;       ///< its destruction, with the batch, says that the trainer has finished it
};

/// Times of the thread that calls next().
struct DeviceTimes {
  /// Waiting for the loader, or for a lease that a copy holds.
  std::chrono::nanoseconds waiting{0};
  std::chrono::nanoseconds copying{0};  ///< starting copies
};

namespace interop {

/// Computes (pixel * scale - mean) / stddev in one pass on the device of the pixels. The
/// computation is pixel * slope + offset in float32, rounded to the dtype at the end. Before that
/// rounding, values are within 1e-6 of those of Converter. Throws as channel_lines() does.
class DeviceNormalizer {
 public:
  DeviceNormalizer(const DeviceOptions& options, torch::Device device,
                   PixelFormat pixels = PixelFormat::rgb8)
      : dtype_(options.dtype), format_(options.memory_format) {
    if (dtype_ == torch::kUInt8) return;
    std::array<float, 4> slope{}, offset{};
    const auto lines = channel_lines(options.normalize, pixels);
    for (std::size_t c = 0; c < lines.size(); ++c) {
      slope[c] = static_cast<float>(lines[c].slope);
      offset[c] = static_cast<float>(lines[c].offset);
    }
    const auto on_device = [&](std::array<float, 4>& values) {
      return torch::from_blob(values.data(), {1, channels_of(pixels), 1, 1}, torch::kFloat32)
          .clone()
          .to(device);
    };
    slope_ = on_device(slope);
    offset_ = on_device(offset);
  }
  /// Converts the result of as_images() to a new tensor.
  torch::Tensor operator()(const torch::Tensor& pixels) const {
    auto out = torch::empty(pixels.sizes(), pixels.options().dtype(dtype_).memory_format(format_));
    if (dtype_ == torch::kUInt8) return out.copy_(pixels);
    // On the CPU, addcmul_out does not convert its output to a smaller type.
    if (dtype_ != torch::kFloat32 && pixels.is_cpu())
      return out.copy_(torch::addcmul(offset_, pixels, slope_));
    return torch::addcmul_out(out, offset_, pixels, slope_);
  }

 private:
  torch::ScalarType dtype_;
  torch::MemoryFormat format_;
  torch::Tensor slope_, offset_;
};

/// A view of memory in the slab. It does not keep the batch.
inline torch::Tensor borrowed(const ArrayView& array) {
  return tensor_of(array, [](void*) {});
}

/// The values in the bytes of a block as N x C x H x W: a view of uint8, or 16 bits as float32.
inline torch::Tensor as_images(const torch::Tensor& bytes, std::array<std::int64_t, 4> sizes,
                               PixelFormat format) {
  const auto [count, channels, height, width] = sizes;
  const std::int64_t each = value_bytes(format);
  const auto values = bytes.narrow(0, 0, count * height * width * channels * each)
                          .view({count, height, width, channels, each})
                          .permute({0, 3, 1, 2, 4});
  if (each == 1) return values.select(4, 0);
  const bool little = std::endian::native == std::endian::little;
  return values.select(4, little ? 0 : 1)
      .to(torch::kFloat32)
      .add_(values.select(4, little ? 1 : 0), 256);
}

/// Converts the pixels of a batch to a CPU tensor.
using HostConversion = std::function<torch::Tensor(const PixelBlock&)>;

/// Throws Error{bad_options} if an option is invalid, or if the plan's batches are not one tensor.
inline HostConversion host_conversion(const DeviceOptions& options, const Plan& plan) {
  const auto pixels = plan.pixels;
  const auto refuse = [](const std::string& what) {
    throw Error(Errc::bad_options, Stage::lease, "device_batches: " + what);
  };
  if (plan.decode == Decode::none)
    refuse("the loader has `decode` = none: rows are encoded samples, which are not one tensor");
  if (plan.sizes.mode == Sizes::ragged)
    refuse("the loader has `sizes.mode` = ragged; fixed and padded make one tensor of a batch");
  if (!plan.planes.empty()) refuse("the loader has planes, which are not copied to the device");
  if (options.prefetch == 0) refuse("prefetch is 0; it is at least 1");
  const bool nhwc = options.memory_format == torch::MemoryFormat::ChannelsLast;
  if (!nhwc && options.memory_format != torch::MemoryFormat::Contiguous)
    refuse("memory_format is neither Contiguous nor ChannelsLast");
  const auto by = [&]<Element T>(T) -> HostConversion {
    channel_lines(options.normalize, pixels);  // refuses the format before anything runs
    return [converter = Converter<T>(options.normalize, nhwc ? Layout::nhwc : Layout::nchw)](
               const PixelBlock& block) { return to_tensor(block, converter); };
  };
  switch (options.dtype) {
    case torch::kFloat32: return by(float{});
    case torch::kFloat16: return by(float16{});
    case torch::kBFloat16: return by(bfloat16{});
    case torch::kUInt8:
      if (value_bytes(pixels) != 1)
        refuse("dtype is Byte, but the pixels are " + std::string(to_string(pixels)) +
               (is_stored(pixels) ? "; use Stream and weir::to_tensor<std::int32_t>()"
                                  : "; Float keeps 16 bits"));
      return [format = options.memory_format](const PixelBlock& block) {
        return as_images(borrowed(block.pixels), sizes_of(block), block.format).clone(format);
      };
    default:
      refuse(std::string("dtype is ") + c10::toString(options.dtype) +
             "; it is one of Float, Half, BFloat16 and Byte");
  }
  return {};
}

/// Returns a slab when its copy has ended.
struct CopyEnd final : LeaseEnd {
  CopyEnd(const DeviceGuard& guard, c10::DeviceIndex device) : copied(guard, device) {}
  bool reached() override { return copied.done(); }
  DeviceEvent copied;
};

inline BatchRows rows_of(const Batch& batch) {
  return {batch.epoch(),
          batch.sequence(),
          {batch.indices().begin(), batch.indices().end()},
          {batch.statuses().begin(), batch.statuses().end()}};
}

}  // namespace interop

/// Batches of a loader as tensors on a device, in order. Use next() or a range-for loop:
///
///     for (auto& [images, labels, rows, receipt] : device_batches(loader, torch::kCUDA,
///              {.dtype = torch::kBFloat16, .normalize = imagenet}))
///       learn(images, labels);
///
/// A stream of this object copies the bytes of the pixels, uint8 or uint16, and the labels to the
/// device. Annotations and windows are not delivered. The thread's current stream waits for the copy
/// by an event and converts on the device. The slab returns to the loader when its copy has ended
/// (Batch::release_when); no thread waits for that. Copies from page-locked slabs (PinnedMemory) are
/// asynchronous. Other copies block the calling thread until they end. Device memory is bounded by
/// `prefetch` batches plus the batches that the caller holds. On the CPU a Converter converts the
/// batches, and nothing is copied ahead.
///
/// Order, labels, indices, statuses and errors are those of Loader::stream(): an error comes after
/// the batches before it. Batches that were copied ahead but never requested count as consumed in
/// the loader's tally, but not in progress(). One thread at a time. The loader must outlive this
/// object.
class DeviceBatches {
 public:
  /// Iterates over the remaining batches.
  using Iterator = NextIterator<DeviceBatches, DeviceBatch>;

  /// Throws Error{bad_options}, also for a loader with planes or ragged rows, the exceptions of
  /// Loader::stream(), and c10::Error if the device does not exist.
  DeviceBatches(Loader& loader, torch::Device device, const DeviceOptions& options = {},
                const StreamOptions& stream = {})
      : DeviceBatches(loader, device, options, stream,
                      device.is_cpu() ? nullptr : c10::impl::getDeviceGuardImpl(device.type())) {}
  /// Uses the streams and events of `guard`. Null: there are none, and nothing is copied ahead.
  DeviceBatches(Loader& loader, torch::Device device, const DeviceOptions& options,
                const StreamOptions& stream, const interop::DeviceGuard* guard)
      : on_host_(interop::host_conversion(options, loader.plan())),
        guard_(guard),
        device_(guard && !device.has_index() ? guard->getDevice() : device),
        loader_(loader),
        stream_(loader.stream(stream)) {
    if (!guard_) return;
    copies_.emplace(guard_->getStreamFromGlobalPool(device_));
    on_device_.emplace(options, device_, loader.plan().pixels);
    for (std::uint32_t i = 0; i < options.prefetch; ++i)
      slots_.push_back(std::make_unique<Slot>(*guard_, device_.index()));
  }
  /// Waits for running copies.
  ~DeviceBatches() {
    if (guard_) wait_for_copies();
  }
  DeviceBatches(const DeviceBatches&) = delete;
  DeviceBatches& operator=(const DeviceBatches&) = delete;

  /// Waits for the loader only. Empty if the stream is finished or cancelled. The previous batch
  /// is finished when the caller destroys it. Throws as Stream::next() does.
  std::optional<DeviceBatch> next() { return guard_ ? next_on_device() : next_on_host(); }
  /// Calls next() for the first batch.
  Iterator begin() { return Iterator(*this); }
  /// The end, which is reached when next() returns nothing.
  std::default_sentinel_t end() const noexcept { return {}; }

  /// As Stream::progress(): batches that were copied ahead or are in hand are not finished.
  Progress progress() const { return stream_.progress(); }
  /// Times since the construction.
  const DeviceTimes& times() const noexcept { return times_; }
  /// Device memory of the slots. Each slot has the size of its largest batch so far.
  std::uint64_t device_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& slot : slots_)
      if (slot->pixels.defined()) bytes += slot->pixels.nbytes() + slot->labels.nbytes();
    return bytes;
  }
  /// The stream for copies. None on the CPU.
  const std::optional<c10::Stream>& copies() const noexcept { return copies_; }
  /// As Stream::cancel(). Batches that were copied ahead are still delivered.
  void cancel() noexcept { stream_.cancel(); }

 private:
  /// Device memory of one batch until its conversion.
  struct Slot {
    Slot(const interop::DeviceGuard& guard, c10::DeviceIndex device)
        : copied(guard, device), used(guard, device) {}
    torch::Tensor pixels, labels;
    interop::DeviceEvent copied, used;
    std::array<std::int64_t, 4> sizes{};
    BatchRows rows;
    Receipt receipt;
  };

  /// Adds its lifetime to `time`.
  struct Timed {
    std::chrono::nanoseconds& time;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Timed() { time += std::chrono::steady_clock::now() - start; }
  };
  std::optional<Batch> wait_for_batch() {
    const Timed timed{times_.waiting};
    return stream_.next();
  }

  void wait_for_copies() noexcept {
    try {
      guard_->synchronizeStream(*copies_);
    } catch (...) {  // The device has failed, and its copies do not matter.
    }
  }

  Slot& slot(std::uint64_t number) { return *slots_[number % slots_.size()]; }

  std::optional<DeviceBatch> next_on_host() {
    auto batch = wait_for_batch();
    if (!batch) return std::nullopt;
    return DeviceBatch{on_host_(batch->pixels()), interop::borrowed(batch->labels()).clone(),
                       interop::rows_of(*batch), batch->receipt()};
  }
  std::optional<DeviceBatch> next_on_device() {
    if (taken_ == copied_ && !copy_next()) return std::nullopt;
    auto given = hand_over(slot(taken_));
    ++taken_;
    copy_ahead();
    return given;
  }

  /// Copies the next batch, and waits for it. Returns false at the end of the stream.
  bool copy_next() {
    if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
    return copy(wait_for_batch());
  }
  /// Whether a request would be answered at once. A request without an answer counts as waiting,
  /// and the trainer does not wait for the batches that are copied ahead.
  bool one_is_ready() const {
    const auto now = loader_.snapshot();
    return now.ready > 0 && now.leased < loader_.plan().max_leases;
  }
  /// Copies ready batches while a slot is free.
  void copy_ahead() {
    try {
      while (!failed_ && copied_ - taken_ < slots_.size() && one_is_ready())
        if (!copy(stream_.try_next())) return;
    } catch (...) {
      failed_ = std::current_exception();  // next() throws it after the batches before it
    }
  }
  bool copy(std::optional<Batch> batch) {
    if (!batch) return false;
    const Timed timed{times_.copying};
    copy_to(slot(copied_), *std::move(batch));
    ++copied_;
    return true;
  }
  void copy_to(Slot& to, Batch batch) {
    const auto pixels = batch.pixels();
    const auto bytes = static_cast<std::int64_t>(pixels.pixels.size());
    const interop::CurrentStream current(*guard_, *copies_);
    to.used.hold(*copies_);
    if (!to.pixels.defined() || to.pixels.numel() < bytes)
      to.pixels = torch::empty({bytes}, torch::TensorOptions(torch::kUInt8).device(device_));
    if (!to.labels.defined() || to.labels.numel() < pixels.count)
      to.labels = torch::empty({pixels.count}, torch::TensorOptions(torch::kInt64).device(device_));
    to.sizes = interop::sizes_of(pixels);
    to.rows = interop::rows_of(batch);
    auto end = end_for(batch);
    try {
      to.pixels.narrow(0, 0, bytes).copy_(interop::borrowed(pixels.pixels), true);
      to.labels.narrow(0, 0, pixels.count).copy_(interop::borrowed(batch.labels()), true);
      to.copied.record(*copies_);
      end->copied.record(*copies_);
    } catch (...) {
      wait_for_copies();  // they may still read the slab, which now returns
      throw;
    }
    to.receipt = std::move(batch).release_when(std::move(end));
  }
  /// Reuses the previous LeaseEnd of this slab if it belongs to this device.
  std::unique_ptr<interop::CopyEnd> end_for(Batch& batch) {
    auto last = batch.take_last_end();
    if (auto* const ours = dynamic_cast<interop::CopyEnd*>(last.get());
        ours && ours->copied.is_of(*guard_, device_.index())) {
      last.release();
      return std::unique_ptr<interop::CopyEnd>(ours);
    }
    return std::make_unique<interop::CopyEnd>(*guard_, device_.index());
  }

  /// Converts a batch on the thread's current stream. After an exception it is still in the slot.
  DeviceBatch hand_over(Slot& from) {
    const auto stream = guard_->getStream(device_);
    from.copied.hold(stream);
    auto images = (*on_device_)(interop::as_images(from.pixels, from.sizes, loader_.plan().pixels));
    auto labels = from.labels.narrow(0, 0, from.sizes[0]).clone();
    from.used.record(stream);
    // When these tensors are freed, the allocator must wait for the reads of this stream.
    for (const auto& tensor : {from.pixels, from.labels})
      guard_->recordDataPtrOnStream(tensor.storage().data_ptr(), stream);
    return {std::move(images), std::move(labels), std::move(from.rows), std::move(from.receipt)};
  }

  interop::HostConversion on_host_;
  const interop::DeviceGuard* guard_;
  torch::Device device_;
  const Loader& loader_;
  Stream stream_;
  std::optional<c10::Stream> copies_;
  std::optional<interop::DeviceNormalizer> on_device_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::uint64_t taken_ = 0, copied_ = 0;  ///< counts of delivered batches and of started copies
  std::exception_ptr failed_;  ///< error of the loader, until the batches before it are delivered
  DeviceTimes times_;
};

/// Creates a DeviceBatches for a range-for loop.
inline DeviceBatches device_batches(Loader& loader, torch::Device device,
                                    const DeviceOptions& options = {},
                                    const StreamOptions& stream = {}) {
  return DeviceBatches(loader, device, options, stream);
}

}  // namespace weir
