#pragma once

#include <torch/data/example.h>
#include <torch/data/iterator.h>
#include <torch/types.h>
#include <torch/version.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "weir/error.hpp"
#include "weir/interop/lease.hpp"
#include "weir/loader.hpp"

/// \file
/// Batches as libtorch tensors. CMake component `torch`. Written for libtorch 1.13 (Debian 12).
///
/// libtorch describes images as N x C x H x W in every memory format. You may write to a tensor in
/// a slab, because the slab is written again for each batch.
namespace weir {

/// The types of values that are copied as integers.
template <class T>
concept Integer = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;

namespace interop {

template <class T>
constexpr torch::ScalarType scalar_type() noexcept {
  if constexpr (std::same_as<T, float>) return torch::kFloat32;
  if constexpr (std::same_as<T, float16>) return torch::kFloat16;
  if constexpr (std::same_as<T, bfloat16>) return torch::kBFloat16;
  if constexpr (std::same_as<T, std::int32_t>) return torch::kInt32;
  if constexpr (std::same_as<T, std::int64_t>) return torch::kInt64;
}

inline std::array<std::int64_t, 4> sizes_of(const PixelBlock& block) {
  return {block.count, channels_of(block.format), block.shape.height, block.shape.width};
}
inline std::array<std::int64_t, 3> sizes_of(const ImageView& image) {
  return {channels_of(image.format), image.shape.height, image.shape.width};
}

template <Element T>
torch::MemoryFormat format_of(const Converter<T>& converter) {
  return converter.layout() == Layout::nhwc ? torch::MemoryFormat::ChannelsLast
                                            : torch::MemoryFormat::Contiguous;
}

/// The dtype of the elements of an array. Throws Error{bad_options} if libtorch has none.
inline torch::ScalarType element_type(const ArrayView& array) {
  const auto bytes = array.element_bytes;
  if (bytes == 1) return array.is_signed ? torch::kInt8 : torch::kUInt8;
  if (array.is_signed)
    return bytes == 2 ? torch::kInt16 : bytes == 4 ? torch::kInt32 : torch::kInt64;
#if TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR >= 203
  return bytes == 2 ? torch::kUInt16 : bytes == 4 ? torch::kUInt32 : torch::kUInt64;
#else
  const auto bits = std::to_string(8 * bytes);
  const bool pixels = array.dims > 2;  // as in as_tensor()
  throw Error(Errc::bad_options, Stage::lease,
              "as_tensor: the elements are uint" + bits + ", and libtorch has uint" + bits +
                  " from version 2.3 on" +
                  (pixels ? "; weir::to_tensor<std::int32_t>() copies pixels to int32" : ""));
#endif
}

/// A view of an array, which `deleter` keeps.
template <class Deleter>
torch::Tensor tensor_of(const ArrayView& array, Deleter deleter) {
  return torch::from_blob(const_cast<void*>(array.data), {array.shape.data(), array.dims},
                          {array.strides.data(), array.dims}, std::move(deleter),
                          element_type(array));
}

}  // namespace interop

// ---- without a copy ----------------------------------------------------------------------------

/// A view of memory of the lease's batch. Its storage shares the lease, also through slices and views,
/// but not through clones and conversions. A block of pixels is N x C x H x W in channels-last memory,
/// an image C x H x W with its row stride, any other column as it is: `as_tensor(lease,
/// lease->labels())`. A micro-batch is `as_tensor(lease, lease->slice(first, count))`. libtorch has
/// unsigned types of more than 8 bits from version 2.3 on; before it, throws Error{bad_options} for
/// them. Do not move the lease into the call if the memory is asked from it there.
inline torch::Tensor as_tensor(Lease lease, const ArrayView& array) {
  lease->held_by("torch::Tensor");
  const auto tensor =
      interop::tensor_of(array, [lease = std::move(lease)](void*) mutable { lease.reset(); });
  return array.dims < 3 ? tensor : tensor.movedim(-1, -3);
}
/// A view of all rows.
inline torch::Tensor as_tensor(Lease lease) {
  const auto block = lease->pixels();
  return as_tensor(std::move(lease), block);
}
/// A view of all rows. The tensor is the only owner of the batch.
inline torch::Tensor as_tensor(Batch batch) { return as_tensor(share(std::move(batch))); }

// ---- converted ---------------------------------------------------------------------------------

namespace interop {

/// The values of `out`, after a check that it is a CPU tensor of T with these sizes and in this memory
/// format. libtorch supports channels-last memory only for tensors of four dimensions.
template <class T, std::size_t dimensions>
std::span<T> room_in(const torch::Tensor& out, const std::array<std::int64_t, dimensions>& sizes,
                     torch::MemoryFormat format) {
  constexpr auto type = scalar_type<T>();
  if (out.scalar_type() != type || !out.device().is_cpu() ||
      !std::ranges::equal(out.sizes(), sizes) ||
      !(dimensions == 4 ? out : out.unsqueeze(0)).is_contiguous(format)) {
    std::ostringstream given;
    given << "convert_into: out is " << out.options() << ' ' << out.sizes() << " with strides "
          << out.strides() << "; wanted are " << type << " on the CPU, "
          << torch::IntArrayRef(sizes) << " in memory format " << format;
    throw Error(Errc::bad_options, Stage::lease, given.str());
  }
  return {static_cast<T*>(out.data_ptr()), static_cast<std::size_t>(out.numel())};
}

/// An uninitialised N x C x H x W tensor of T.
template <class T>
torch::Tensor room_for(const std::array<std::int64_t, 4>& sizes, torch::MemoryFormat format) {
  return torch::empty(sizes, torch::TensorOptions(scalar_type<T>()).memory_format(format));
}

}  // namespace interop

/// Converts pixels into `out`. `out` must be a CPU tensor of T, contiguous, or in channels-last
/// memory if the converter's layout is nhwc. Its shape is N x C x H x W for a batch or a part of
/// one (PixelBlock), and C x H x W for one image at its own size (ImageView: Batch::image). The
/// image has the memory format of a row of such a batch. Throws Error{bad_options} if `out` is
/// different, and as the converter does.
template <Element T, class Pixels>
void convert_into(const torch::Tensor& out, const Pixels& pixels, const Converter<T>& converter) {
  converter(pixels,
            interop::room_in<T>(out, interop::sizes_of(pixels), interop::format_of(converter)));
}
/// Writes the values as integers into `out`, as widen() does, through a table if there is one. `out`
/// is as above, but in channels-last memory; with one channel, contiguous memory is the same.
template <Integer T, class Pixels>
void convert_into(const torch::Tensor& out, const Pixels& pixels, std::span<const T> table = {}) {
  constexpr auto format = torch::MemoryFormat::ChannelsLast;
  widen(pixels, interop::room_in<T>(out, interop::sizes_of(pixels), format), table);
}

namespace interop {

/// One image as a batch of size 1.
template <Element T>
torch::Tensor converted_alone(const ImageView& image, const Converter<T>& converter) {
  const auto [channels, height, width] = sizes_of(image);
  auto out = room_for<T>({1, channels, height, width}, format_of(converter));
  convert_into(out[0], image, converter);
  return out;
}

}  // namespace interop

/// Converts pixels into a new tensor. It does not refer to the batch.
template <Element T>
torch::Tensor to_tensor(const PixelBlock& block, const Converter<T>& converter) {
  auto out = interop::room_for<T>(interop::sizes_of(block), interop::format_of(converter));
  convert_into(out, block, converter);
  return out;
}
/// Converts one image at its own size: C x H x W.
template <Element T>
torch::Tensor to_tensor(const ImageView& image, const Converter<T>& converter) {
  return interop::converted_alone(image, converter)[0];
}
/// Copies the values as integers into a new tensor, N x C x H x W in channels-last memory:
/// `to_tensor<std::int32_t>(block)`. For stored formats, and for 16 bits where libtorch has no
/// uint16. Throws as widen() does.
template <Integer T>
torch::Tensor to_tensor(const PixelBlock& block, std::span<const T> table = {}) {
  const auto out =
      interop::room_for<T>(interop::sizes_of(block), torch::MemoryFormat::ChannelsLast);
  convert_into(out, block, table);
  return out;
}
/// As above, for one image at its own size: C x H x W.
template <Integer T>
torch::Tensor to_tensor(const ImageView& image, std::span<const T> table = {}) {
  const auto [channels, height, width] = interop::sizes_of(image);
  const auto out =
      interop::room_for<T>({1, channels, height, width}, torch::MemoryFormat::ChannelsLast)[0];
  convert_into(out, image, table);
  return out;
}

/// The values of a plane of one channel as the targets of a cross-entropy: N x H x W int64, or H x W
/// for one row (ImageView). With a table, value i becomes table[i], for example 255 becomes -100.
/// Throws Error{bad_options} for more channels, and as widen() does.
template <class Pixels>
torch::Tensor to_targets(const Pixels& plane, std::span<const std::int64_t> table = {}) {
  if (channels_of(plane.format) != 1) {
    throw Error(Errc::bad_options, Stage::lease,
                "to_targets: the pixels are " + std::string(to_string(plane.format)) +
                    ", must have one channel, as stored8 has");
  }
  return to_tensor<std::int64_t>(plane, table).squeeze(-3);
}

// ---- as a data loader --------------------------------------------------------------------------

/// Converts a batch to images and labels. Takes ownership of the batch.
using ExampleMaker = std::function<torch::data::Example<>(Batch)>;

namespace interop {

/// Whether a batch is one image, which keeps its own size.
inline bool is_alone(const Batch& batch) { return batch.ragged() && batch.size() == 1; }

template <Element T>
torch::Tensor converted_images(const Batch& batch, const Converter<T>& converter) {
  return is_alone(batch) ? converted_alone(batch.image(0), converter)
                         : to_tensor(batch.pixels(), converter);
}

}  // namespace interop

/// Converts images, copies labels and releases the batch. A ragged batch of one image keeps the
/// image's own size. Larger ones cannot be one tensor: Error{bad_options}.
template <Element T>
ExampleMaker converted(Converter<T> converter) {
  return [converter = std::move(converter)](const Batch& batch) {
    auto images = interop::converted_images(batch, converter);
    auto labels = torch::empty({static_cast<std::int64_t>(batch.size())}, torch::kInt64);
    std::ranges::copy(batch.labels(), labels.data_ptr<std::int64_t>());
    return torch::data::Example<>(std::move(images), std::move(labels));
  };
}

/// As above, with a plane as the target: to_targets(batch.plane(plane).pixels(), table). For
/// segmentation.
template <Element T>
ExampleMaker converted(Converter<T> converter, std::string plane,
                       std::vector<std::int64_t> table = {}) {
  return [converter = std::move(converter), plane = std::move(plane),
          table = std::move(table)](const Batch& batch) {
    const auto rows = batch.plane(plane);
    return torch::data::Example<>(interop::converted_images(batch, converter),
                                  interop::is_alone(batch)
                                      ? to_targets(rows.image(0), table).unsqueeze(0)
                                      : to_targets(rows.pixels(), table));
  };
}

/// Images and labels as views of the slab. Needs `queue.max_leases` of 2, because the loop holds
/// one batch while it requests the next.
inline ExampleMaker uncopied() {
  return [](Batch batch) {
    const auto lease = share(std::move(batch));
    return torch::data::Example<>(as_tensor(lease), as_tensor(lease, lease->labels()));
  };
}

/// What a TensorLoader gives: images and labels, as libtorch's loaders, and the samples that they
/// come from.
struct TensorBatch : torch::data::Example<> {
  std::vector<std::uint64_t> indices{};  ///< Batch::indices: N indices in the source
  /// Loader::name of the samples; empty for a row without one (RowStatus::padding). The Loader must
  /// still exist.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    names.reserve(indices.size());
    for (const auto index : indices)
      names.push_back(index == UINT64_MAX ? std::string() : loader->name(index));
    return names;
  }
  const Loader* loader = nullptr;  ///< that delivered them
};

/// An adapter for code that expects the result of torch::data::make_data_loader():
///
///     for (auto& batch : data_loader) learn(batch.data, batch.target);
///
/// `batch.indices` and `batch.names()` say which samples they are.
///
/// Each begin() starts the next epoch; it does not resume an unfinished one. After the last one,
/// loops are empty. The loader prefetches across the end of an epoch. The target of a row without a
/// sample (RowStatus::padding, blank) is -1. One thread at a time. The Loader must outlive this
/// object, and this object must outlive its iterators.
class TensorLoader {
 public:
  /// Type of the elements: images, labels and indices.
  using BatchType = TensorBatch;

  /// `options.epochs` is the number of epochs; the loader does not prefetch more. nullopt: the
  /// number is unknown. With `options.resume`, the first begin() continues the unfinished epoch.
  explicit TensorLoader(Loader& loader, ExampleMaker make = converted(Converter<float>()),
                        StreamOptions options = {.epochs = std::nullopt})
      : loader_(loader), make_(std::move(make)), options_(std::move(options)) {}

  /// Starts the next epoch. Throws as Loader::stream() does.
  torch::data::Iterator<BatchType> begin() {
    if (stream_ && open_ && options_.epochs && options_.first_epoch >= *options_.epochs) {
      stream_->cancel();  // the loop has left the last epoch
    } else if (!stream_ || open_) {
      stream_.reset();
      stream_.emplace(loader_.stream(options_));
    }
    open_ = true;
    using Valid = torch::data::detail::ValidIterator<BatchType>;
    // The iterator holds the receipt of the current batch. An exception in the loop destroys it.
    const auto in_hand = std::make_shared<Receipt>();
    return torch::data::Iterator<BatchType>(
        std::make_unique<Valid>([this, in_hand] { return next(*in_hand); }));
  }
  /// As Stream::progress(). A batch is finished when the loop asks for the next one, or ends without
  /// an exception. A batch for which the ExampleMaker throws is not finished. Nothing is finished
  /// before begin().
  Progress progress() const {
    return stream_ ? stream_->progress() : options_.resume.value_or(loader_.progress_after(0));
  }
  /// The end of an epoch.
  torch::data::Iterator<BatchType> end() {
    using Sentinel = torch::data::detail::SentinelIterator<BatchType>;
    return torch::data::Iterator<BatchType>(std::make_unique<Sentinel>());
  }

 private:
  torch::optional<BatchType> next(Receipt& in_hand) {
    in_hand = Receipt();  // the loop has asked for the next batch
    if (!open_) return torch::nullopt;
    auto batch = stream_->next();
    open_ = batch && !batch->last_of_epoch();
    if (!batch) return torch::nullopt;
    // An epoch that the loop leaves is not resumed.
    options_.resume.reset();
    options_.first_epoch = batch->epoch() + 1;
    // Not yet in in_hand, because a batch for which make_ throws is not finished.
    auto receipt = batch->receipt();
    const auto indices = batch->indices();
    TensorBatch made{{}, {indices.begin(), indices.end()}, &loader_};
    static_cast<torch::data::Example<>&>(made) = make_(*std::move(batch));
    in_hand = std::move(receipt);
    return made;
  }

  Loader& loader_;
  ExampleMaker make_;
  StreamOptions options_;  ///< of the next stream
  std::optional<Stream> stream_;
  bool open_ = false;  ///< the current epoch has more batches
};

}  // namespace weir
