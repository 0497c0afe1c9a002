#pragma once

#include <torch/data/example.h>
#include <torch/data/iterator.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "weir/error.hpp"
#include "weir/interop/lease.hpp"
#include "weir/loader.hpp"

/// \file
/// Batches as libtorch's tensors. CMake component `torch`. Written against libtorch 1.13 (Debian 12).
///
/// Images are N x C x H x W to libtorch, whatever their memory format. A slab is filled anew for each batch,
/// so what is written into a tensor that lies in one is nobody else's concern.
namespace weir {

namespace interop {

template <Element T>
constexpr torch::ScalarType scalar_type() noexcept {
  if constexpr (std::same_as<T, float>) return torch::kFloat32;
  if constexpr (std::same_as<T, float16>) return torch::kFloat16;
  if constexpr (std::same_as<T, bfloat16>) return torch::kBFloat16;
}

inline std::array<std::int64_t, 4> sizes_of(const PixelBlock& block) {
  return {block.count, block.shape.channels, block.shape.height, block.shape.width};
}
inline std::array<std::int64_t, 3> sizes_of(const ImageView& image) {
  return {image.shape.channels, image.shape.height, image.shape.width};
}

template <Element T>
torch::MemoryFormat format_of(const Converter<T>& converter) {
  return converter.layout() == Layout::nhwc ? torch::MemoryFormat::ChannelsLast
                                            : torch::MemoryFormat::Contiguous;
}

/// Uninitialised, for N x C x H x W of a converter's values.
template <Element T>
torch::Tensor room_for(const std::array<std::int64_t, 4>& sizes, const Converter<T>& converter) {
  return torch::empty(sizes,
                      torch::TensorOptions(scalar_type<T>()).memory_format(format_of(converter)));
}

/// uint8 where the block lies, in channels-last memory; its storage shares the lease.
inline torch::Tensor in_slab(Lease lease, const PixelBlock& block) {
  lease->held_by("torch::Tensor");
  const std::int64_t channels = block.shape.channels, row = channels * block.shape.width;
  return torch::from_blob(
      const_cast<std::uint8_t*>(block.pixels.data()), sizes_of(block),
      {row * block.shape.height, 1, row, channels},
      [lease = std::move(lease)](void*) mutable { lease.reset(); }, torch::kUInt8);
}

}  // namespace interop

// ---- without a copy ----------------------------------------------------------------------------

/// uint8 where the rows first .. first+count-1 lie in the slab, so in channels-last memory. The storage
/// shares the lease: slices and views of the tensor keep it, clones and conversions do not. Throws
/// Error{bad_options} where those rows are not all there, and where the batch is ragged.
inline torch::Tensor as_tensor(Lease lease, std::uint32_t first, std::uint32_t count) {
  const auto block = lease->slice(first, count);
  return interop::in_slab(std::move(lease), block);
}
/// All rows of a batch.
inline torch::Tensor as_tensor(Lease lease) {
  const auto rows = lease->size();
  return as_tensor(std::move(lease), 0, rows);
}
/// All rows of a batch that nothing else shares.
inline torch::Tensor as_tensor(Batch batch) { return as_tensor(share(std::move(batch))); }

/// One image at its own size where it lies in the slab: C x H x W of uint8, in channels-last memory whose
/// lines are, with Sizes::padded, as far apart as the block is wide. Of a ragged batch this is the way: it
/// is no one tensor. Throws Error{bad_options} where there is no such row.
inline torch::Tensor image_as_tensor(Lease lease, std::uint32_t i) {
  const auto image = lease->image(i);
  lease->held_by("torch::Tensor");
  const std::int64_t channels = image.shape.channels;
  return torch::from_blob(
      const_cast<std::uint8_t*>(image.data), interop::sizes_of(image),
      {1, static_cast<std::int64_t>(image.row_stride), channels},
      [lease = std::move(lease)](void*) mutable { lease.reset(); }, torch::kUInt8);
}

/// Second images (Options::side_bytes, weir::paired) where they lie beside the pixels: N x C x H x W of
/// uint8, in channels-last memory. Throws Error{bad_options} where shape.values() is not side_bytes.
inline torch::Tensor side_as_tensor(Lease lease, Shape shape) {
  const auto block = lease->side_pixels(shape);
  return interop::in_slab(std::move(lease), block);
}

/// int64, N labels where they lie in the slab; shares the lease.
inline torch::Tensor labels_as_tensor(Lease lease) {
  const auto labels = lease->labels();
  lease->held_by("torch::Tensor");
  return torch::from_blob(
      const_cast<std::int64_t*>(labels.data()), {static_cast<std::int64_t>(labels.size())},
      [lease = std::move(lease)](void*) mutable { lease.reset(); }, torch::kInt64);
}

// ---- converted ---------------------------------------------------------------------------------

/// Pixels converted straight into `out`: of T, on the CPU, contiguous, or in channels-last memory where the
/// converter's layout is nhwc. N x C x H x W of a batch or of a part of one (PixelBlock); C x H x W of one
/// image at its own size (ImageView: Batch::image), in memory like a row of such a batch. Throws
/// Error{bad_options} where it is not all that.
template <Element T, class Pixels>
void convert_into(const torch::Tensor& out, const Pixels& pixels, const Converter<T>& converter) {
  const auto wanted = interop::sizes_of(pixels);
  const auto format = interop::format_of(converter);
  // libtorch knows channels-last memory of four dimensions alone.
  if (out.scalar_type() != interop::scalar_type<T>() || !out.device().is_cpu() ||
      !std::ranges::equal(out.sizes(), wanted) ||
      !(wanted.size() == 4 ? out : out.unsqueeze(0)).is_contiguous(format)) {
    std::ostringstream given;
    given << "convert_into: out is " << out.options() << ' ' << out.sizes() << " with strides "
          << out.strides() << "; wanted are " << interop::scalar_type<T>() << " on the CPU, "
          << torch::IntArrayRef(wanted) << " in memory format " << format;
    throw Error(Errc::bad_options, Stage::lease, given.str());
  }
  converter(pixels, {static_cast<T*>(out.data_ptr()), static_cast<std::size_t>(out.numel())});
}

namespace interop {

/// One image as a batch of one.
template <Element T>
torch::Tensor converted_alone(const ImageView& image, const Converter<T>& converter) {
  const auto [channels, height, width] = sizes_of(image);
  auto out = room_for({1, channels, height, width}, converter);
  convert_into(out[0], image, converter);
  return out;
}

}  // namespace interop

/// The same into a tensor of its own; the batch may go as soon as this returns.
template <Element T>
torch::Tensor to_tensor(const PixelBlock& block, const Converter<T>& converter) {
  auto out = interop::room_for(interop::sizes_of(block), converter);
  convert_into(out, block, converter);
  return out;
}
/// One image at its own size: C x H x W.
template <Element T>
torch::Tensor to_tensor(const ImageView& image, const Converter<T>& converter) {
  return interop::converted_alone(image, converter)[0];
}

// ---- as a data loader --------------------------------------------------------------------------

/// What becomes of a batch: images and labels. Takes the batch over.
using ExampleMaker = std::function<torch::data::Example<>(Batch)>;

/// Images converted, labels copied; the batch goes at once. An image that is a batch by itself keeps its own
/// size; other ragged batches are no one tensor, and asking for them throws Error{bad_options}.
template <Element T>
ExampleMaker converted(Converter<T> converter) {
  return [converter = std::move(converter)](const Batch& batch) {
    auto images = batch.sizes().size() == 1 ? interop::converted_alone(batch.image(0), converter)
                                            : to_tensor(batch.pixels(), converter);
    auto labels = torch::empty({static_cast<std::int64_t>(batch.size())}, torch::kInt64);
    std::ranges::copy(batch.labels(), labels.data_ptr<std::int64_t>());
    return torch::data::Example<>(std::move(images), std::move(labels));
  };
}

/// Both where they lie in the slab. Needs `queue.max_leases` of 2: the loop holds one batch while it
/// asks for the next.
inline ExampleMaker uncopied() {
  return [](Batch batch) {
    const auto lease = share(std::move(batch));
    return torch::data::Example<>(as_tensor(lease), labels_as_tensor(lease));
  };
}

/// A Loader where code expects what torch::data::make_data_loader() gives:
///
///     for (auto& batch : data_loader) learn(batch.data, batch.target);
///
/// Each begin() is the next epoch; one that was broken off is not gone on with. The loader prefetches across
/// the end of an epoch. One thread at a time; its iterators live no longer than it, and it no longer than
/// the Loader.
class TensorLoader {
 public:
  /// What its iterators point to: images and labels.
  using BatchType = torch::data::Example<>;

  /// `epochs`: how many begin() there will be, so that nothing is prefetched beyond; nullopt: it is not
  /// known.
  explicit TensorLoader(Loader& loader, ExampleMaker make = converted(Converter<float>()),
                        std::optional<std::uint64_t> epochs = std::nullopt)
      : loader_(loader), make_(std::move(make)), epochs_(epochs) {}

  /// Throws what Loader::stream() throws.
  torch::data::Iterator<BatchType> begin() {
    if (!stream_ || left_ > 0) {
      stream_.reset();
      StreamOptions options{.epochs = epochs_};
      options.from.next_batch = begun_ * loader_.batches_per_epoch();
      stream_.emplace(loader_.stream(options));
    }
    ++begun_;
    left_ = loader_.batches_per_epoch();
    using Valid = torch::data::detail::ValidIterator<BatchType>;
    return torch::data::Iterator<BatchType>(std::make_unique<Valid>([this] { return next(); }));
  }
  /// Where an epoch ends.
  torch::data::Iterator<BatchType> end() {
    using Sentinel = torch::data::detail::SentinelIterator<BatchType>;
    return torch::data::Iterator<BatchType>(std::make_unique<Sentinel>());
  }

 private:
  torch::optional<BatchType> next() {
    if (left_ == 0) return torch::nullopt;
    auto batch = stream_->next();
    if (!batch) {
      left_ = 0;
      return torch::nullopt;
    }
    --left_;
    return make_(*std::move(batch));
  }

  Loader& loader_;
  ExampleMaker make_;
  std::optional<std::uint64_t> epochs_;
  std::optional<Stream> stream_;
  std::uint64_t begun_ = 0;  ///< epochs
  std::uint64_t left_ = 0;   ///< batches of the epoch under way
};

}  // namespace weir
