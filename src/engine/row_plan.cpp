#include "engine/row_plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/random.hpp"
#include "buffer/block.hpp"
#include "engine/failure.hpp"

namespace weir::engine {
namespace {

std::string sides(ImageSize size) {
  return std::to_string(size.height) + "x" + std::to_string(size.width);
}

/// Key of the random draws of this attempt. A replacement draws a new crop.
std::uint64_t draw_of(const source::Sampler& sampler, const Sample& s) noexcept {
  const auto base = sampler.draw(s.epoch, s.position);
  return s.attempt == 0 ? base : mix_key({base, s.attempt});
}

/// If sizes differ: the image keeps its size, within the extent of the sample that the batch was
/// laid out for.
Result<codec::FitSpec> own_size(const Shared& shared, ImageSize found, const Sample& s) {
  const auto measured = (*shared.plan.size_index)[s.index], room = s.slot.room();
  if (found != measured || room.height == 0)
    return Defect{FaultKind::corrupt, Stage::decode,
                  "the image is " + sides(found) + "; when sizes were measured it was " +
                      (measured.height == 0 ? "none" : sides(measured))};
  const auto size = scaled_within(scaled_within(measured, shared.core.plan.sizes.bound), room);
  s.slot.resize(size);
  return codec::FitSpec{.out = s.slot.canvas(), .into = {0, 0, size.width, size.height}};
}

Result<PlannedImage> whole_image(const codec::Decoder& decoder,
                                 std::span<const std::byte> encoded) {
  const auto info = decoder.probe(encoded);
  if (!info) return info.defect();
  return PlannedImage{encoded, decoder.plan_whole(*info), true};
}

Result<PlannedImage> fitted_image(const Shared& shared, const codec::Decoder& decoder,
                                  const Sample& s) {
  const auto info = decoder.probe(s.data.bytes);
  if (!info) return info.defect();
  Result<codec::FitSpec> fit = shared.plan.decoder.fit;
  if (s.slot.sizes_differ()) {
    const auto upright = decoder.upright(*info);
    fit = own_size(shared, {upright.height, upright.width}, s);
    if (!fit) return fit.defect();
  }
  return PlannedImage{s.data.bytes, decoder.plan(*info, *fit, draw_of(shared.plan.sampler, s))};
}

}  // namespace

RowPlan row_of(PlannedImage first, std::optional<PlannedImage> second,
               std::uint64_t transform_bytes) noexcept {
  RowPlan row;
  row.image[0] = std::move(first);
  if (second) row.image[row.count++] = *std::move(second);
  codec::MemoryNeed work{transform_bytes, 0};
  for (auto& image : row.images()) {
    work.scratch = std::max(work.scratch, image.decode.memory.scratch);
    work.reserved = std::max(work.reserved, image.decode.memory.reserved);
    if (!image.whole) continue;
    image.offset = row.whole_images;
    row.whole_images =
        add_sat(row.whole_images, round_up(image.decode.out().values(), buffer::Block::alignment));
  }
  row.need = {add_sat(row.whole_images, work.scratch), work.reserved};
  return row;
}

Result<RowPlan> plan_row(const Shared& shared, const codec::Decoder& decoder, const Sample& s) {
  if (!shared.plan.transform && !s.data.second.empty()) return untaken_second();
  auto first = shared.core.plan.whole_images ? whole_image(decoder, s.data.bytes)
                                             : fitted_image(shared, decoder, s);
  if (!first) return first.defect();
  std::optional<PlannedImage> second;
  if (!s.data.second.empty()) {
    auto planned = whole_image(decoder, s.data.second);
    if (!planned) return of_second(planned.defect());
    second = std::move(*planned);
  }
  return row_of(std::move(*first), std::move(second),
                shared.plan.transform ? shared.core.plan.transform_bytes : 0);
}

}  // namespace weir::engine
