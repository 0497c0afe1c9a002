#include "conductor/batch_sizes.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"

namespace weir::conductor {

BatchSizes::BatchSizes(source::SizeOrder order, const Terms& terms)
    : order_(std::move(order)), terms_(terms) {
  const auto rows =
      static_cast<std::size_t>(std::min<std::uint64_t>(terms.batch, order_.sampler().size()));
  batch_.indices.reserve(rows);
  batch_.extents.reserve(rows);
  batch_.offsets.reserve(rows);
}

ImageSize BatchSizes::room(std::uint64_t index, std::uint64_t epoch,
                           std::uint64_t position) const noexcept {
  auto size = order_.size_of(index);
  if (terms_.on_fault != OnFault::skip) return size;
  for (std::uint32_t attempt = 1; size.height == 0 && attempt < most_attempts; ++attempt)
    size = order_.size_of(order_.sampler().replacement_of(index, epoch, position, attempt));
  return size;
}

const buffer::BatchLayout& BatchSizes::of(const BatchSlot& batch) {
  if (batch.sequence == sequence_) return batch_;
  batch_.indices.resize(batch.rows);
  batch_.extents.clear();
  batch_.offsets.clear();
  order_.batch(batch.epoch, batch.first, batch_.indices);
  std::uint64_t pixels = 0;
  ImageSize block;
  for (std::uint32_t row = 0; row < batch.rows; ++row) {
    const auto size = room(batch_.indices[row], batch.epoch, batch.first + row);
    batch_.extents.push_back(size);
    batch_.offsets.push_back(pixels);
    pixels = add_sat(pixels, size.bytes());
    block = {std::max(block.height, size.height), std::max(block.width, size.width)};
  }
  if (terms_.mode == Sizes::padded) {
    for (std::uint32_t row = 0; row < batch.rows; ++row) batch_.offsets[row] = row * block.bytes();
    pixels = mul_sat(batch.rows, block.bytes());
  } else {
    block = {};
  }
  batch_.layout = {terms_.mode,      {block.height, block.width, 3},
                   pixels,           batch.rows,
                   terms_.alignment, terms_.side_bytes};
  sequence_ = batch.sequence;
  return batch_;
}

}  // namespace weir::conductor
