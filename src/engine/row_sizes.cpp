// Rows of batches whose images keep their own sizes.
#include <algorithm>
#include <string>

#include "engine/row_work.hpp"

namespace weir::engine {
namespace {

std::string sides(ImageSize size) {
  return std::to_string(size.height) + "x" + std::to_string(size.width);
}

}  // namespace

std::uint64_t RowWork::replacement() const noexcept {
  const Sample& s = *memory_.sample;
  const auto& sampler = shared_.plan.sampler;
  if (!sizes_differ_) return sampler.replacement(s.epoch, s.position, s.attempt);
  // Until the row ends its index is that of the sample it was opened with.
  const auto failed = core_.pool->slab(s.slab).indices()[s.row.row];
  return sampler.replacement_of(failed, s.epoch, s.position, s.attempt);
}

std::optional<codec::FitSpec> RowWork::fit_in_place(const codec::ImageInfo& info,
                                                    std::optional<Defect>& defect) {
  if (!sizes_differ_) return shared_.plan.decoder.fit;
  const Sample& s = sample();
  const auto& slab = core_.pool->slab(s.slab);
  const auto upright = decoder_->upright(info);
  const ImageSize found{upright.height, upright.width};
  const auto known = (*shared_.plan.size_index)[s.index], room = slab.places()[s.row.row];
  if (found != known || room.height == 0) {
    defect = Defect{FaultKind::corrupt, Stage::decode,
                    "the image is " + sides(found) + "; when sizes were measured it was " +
                        (known.height == 0 ? "none" : sides(known))};
    return std::nullopt;
  }
  // A replacement has the room of the sample that failed.
  size_ = scaled_within(scaled_within(known, core_.plan.sizes.bound), room);
  const auto& block = slab.layout().shape;
  return codec::FitSpec{
      .out = slab.layout().is_ragged ? Shape{size_.height, size_.width, 3} : block,
      .into = {0, 0, size_.width, size_.height}};
}

void RowWork::note_size() noexcept {
  const auto row = sample().row.row;
  auto& slab = core_.pool->slab(sample().slab);
  slab.sizes()[row] = size_;
  if (!slab.layout().is_ragged) return;
  const auto room = slab.pixels(row, 1);
  std::ranges::fill(room.subspan(static_cast<std::size_t>(size_.bytes())), std::uint8_t{0});
}

MutableImageView RowWork::row_view() const noexcept {
  const Sample& s = *memory_.sample;
  const auto& slab = core_.pool->slab(s.slab);
  auto* const data = slab.pixels(s.row.row, 1).data();
  const auto& block = slab.layout().shape;
  if (!sizes_differ_) return {data, block, std::size_t{block.width} * block.channels};
  const auto width = slab.layout().is_ragged ? size_.width : block.width;
  return {data, {size_.height, size_.width, 3}, std::size_t{width} * 3};
}

}  // namespace weir::engine
