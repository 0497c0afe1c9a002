#include "engine/row_plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/random.hpp"
#include "base/text.hpp"
#include "buffer/block.hpp"
#include "codec/format.hpp"
#include "engine/failure.hpp"

namespace weir::engine {
namespace {

std::string sides(ImageSize size) { return concat(size.height, "x", size.width); }

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

/// Sets the row's size and header. Nothing is decoded.
Result<RowPlan> encoded_row(const Shared& shared, const codec::Decoder& decoder, const Sample& s) {
  const auto info = decoder.probe(s.data.bytes);
  if (!info) return info.defect();
  const auto bytes = s.data.bytes.size();
  const auto measured = (*shared.plan.size_index)[s.index].width;
  if (bytes != measured || bytes > s.slot.room().width)
    return Defect{FaultKind::corrupt, Stage::decode,
                  concat("the sample has ", bytes, " bytes; when sizes were measured it had ",
                         measured == 0 ? "no header" : std::to_string(measured))};
  s.slot.describe({.bytes = {},
                   .format = info->format->name,
                   .height = info->height,
                   .width = info->width,
                   .orientation = info->orientation},
                  bytes);
  RowPlan row;
  if (info->damaged) row.status = RowStatus::damaged;
  return row;
}

Result<PlannedImage> whole_image(const codec::Decoder& decoder,
                                 std::span<const std::byte> encoded) {
  const auto info = decoder.probe(encoded);
  if (!info) return info.defect();
  return PlannedImage{.encoded = encoded, .decode = decoder.plan_whole(*info), .whole = true};
}

/// Black pixels of the size of `first`.
PlannedImage blank_image(const codec::Decoder& decoder, const PlannedImage& first) {
  PlannedImage image{.whole = true, .blank = true};
  image.decode.placement.out = decoder.upright(first.decode.info);
  return image;
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
  return PlannedImage{.encoded = s.data.bytes,
                      .decode = decoder.plan(*info, *fit, draw_of(shared.plan.sampler, s))};
}

}  // namespace

void RowPlan::add(const PlannedImage& planned) noexcept {
  auto& added = image[count++] = planned;
  if (added.whole) {
    added.offset = whole_images;
    whole_images =
        add_sat(whole_images, round_up(added.decode.out().values(), buffer::Block::alignment));
  }
  work.scratch = std::max(work.scratch, added.decode.memory.scratch);
  work.reserved = std::max(work.reserved, added.decode.memory.reserved);
}

void RowPlan::add_transform(std::uint64_t bytes) noexcept {
  work.scratch = std::max(work.scratch, bytes);
}

std::optional<Defect> add_others(RowPlan& row, const codec::Decoder& decoder,
                                 const Encoded& sample) {
  if (sample.second.empty() && !sample.third.empty())
    return Defect{FaultKind::unsupported, Stage::read,
                  "the source gave a third image, but no second one"};
  for (const auto& encoded : {sample.second, sample.third}) {
    if (encoded.empty()) continue;
    if (std::ranges::equal(encoded, Encoded::blank())) {
      row.add(blank_image(decoder, row.image[0]));
    } else {
      const auto planned = whole_image(decoder, encoded);
      if (!planned) return of_other(planned.defect(), row.count);
      row.add(*planned);
    }
  }
  return std::nullopt;
}

Result<RowPlan> plan_row(const Shared& shared, const codec::Decoder& decoder, const Sample& s) {
  if (!shared.plan.transform && !s.data.second.empty()) return untaken_second();
  if (s.slot.encoded()) return encoded_row(shared, decoder, s);
  const auto first = shared.core.plan.whole_images ? whole_image(decoder, s.data.bytes)
                                                   : fitted_image(shared, decoder, s);
  if (!first) return first.defect();
  RowPlan row;
  row.add(*first);
  if (auto defect = add_others(row, decoder, s.data)) return *std::move(defect);
  if (shared.plan.transform) row.add_transform(shared.core.plan.transform_bytes);
  return row;
}

}  // namespace weir::engine
