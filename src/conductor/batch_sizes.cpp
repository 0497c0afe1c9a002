#include "conductor/batch_sizes.hpp"

#include <utility>

#include "base/checked.hpp"

namespace weir::conductor {

BatchSizes::BatchSizes(source::SizeOrder order, std::shared_ptr<const Supply> supply,
                       const Rules& rules)
    : order_(std::move(order)), supply_(std::move(supply)), rules_(rules) {
  if (rules_.mode == Sizes::fixed) return;
  const auto rows = static_cast<std::size_t>(std::max<std::uint64_t>(
      1, std::min<std::uint64_t>(rules.batch, order_.sampler().positions())));
  batch_.indices.reserve(rows);
  batch_.extents.reserve(rows);
}

ImageSize BatchSizes::ruled(const SizeInput& input) {
  const auto size = rules_.size.of(input);
  if (!first_) first_ = {input, size};
  return size;
}

ImageSize BatchSizes::size_of(std::uint64_t index, const BatchSlot& batch) {
  const auto own = order_.size_of(index);
  if (!rules_.size || own.height == 0) return own;
  return ruled({batch.epoch, batch.step, index, order_.image_of(index)});
}

ImageSize BatchSizes::room(std::uint64_t index, const BatchSlot& batch, source::Position position) {
  auto size = size_of(index, batch);
  if (rules_.on_fault != OnFault::skip) return size;
  for (std::uint32_t attempt = 1; size.height == 0 && attempt < most_attempts; ++attempt)
    size = size_of(order_.sampler().replacement_of(index, batch.epoch, position, attempt), batch);
  return size;
}

void BatchSizes::add(const BatchSlot& batch, std::uint32_t row) {
  std::uint64_t index = UINT64_MAX;
  ImageSize size;
  try {
    const auto position = supply_->position(batch, batch.first + row);
    const auto bucket_rows = supply_->bucket_rows(batch);
    index = bucket_rows > 0 ? order_.index(batch.epoch, position, bucket_rows)
                            : supply_->index(batch, position);
    size = room(index, batch, position);
  } catch (...) {
    index = UINT64_MAX;
    size = {};  // GCC 12 drops the first value, which a call replaces, also where the call throws
    if (!failed_.error) failed_ = {row, std::current_exception()};
  }
  batch_.indices.push_back(index);
  batch_.extents.push_back(size);
}

const buffer::BatchLayout& BatchSizes::of(const BatchSlot& batch) {
  if (batch.sequence == sequence_) return batch_;
  batch_.indices.clear();
  batch_.extents.clear();
  failed_ = {};
  if (rules_.mode != Sizes::fixed) {
    lay_out_rows(batch);
  } else {
    ImageSize size;
    try {
      size = ruled({.epoch = batch.epoch, .step = batch.step});
    } catch (...) {
      failed_.error = std::current_exception();
      size = rules_.size.ceiling();  // here for the same reason
    }
    batch_.layout = buffer::SlabLayout::fixed(rules_.form, size, rules_.batch, rules_.alignment);
  }
  try {
    if (first_ && !failed_.error) rules_.size.check_again(first_->first, first_->second);
  } catch (...) {
    failed_ = {0, std::current_exception()};
  }
  sequence_ = batch.sequence;
  return batch_;
}

void BatchSizes::lay_out_rows(const BatchSlot& batch) {
  buffer::ImageSums all;
  for (std::uint32_t row = 0; row < batch.rows; ++row) {
    add(batch, row);
    all.add(rules_.form, batch_.extents.back());
  }
  if (batch.rows == 0) {
    batch_.indices.push_back(UINT64_MAX);
    batch_.extents.push_back({});
  }
  batch_.layout = buffer::SlabLayout::of(rules_.form, rules_.mode, all, rules_.multiple_of,
                                         std::max(1u, batch.rows), rules_.alignment);
}

}  // namespace weir::conductor
