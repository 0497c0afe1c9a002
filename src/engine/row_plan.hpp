#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/checked.hpp"
#include "codec/decoder.hpp"
#include "engine/context.hpp"
#include "engine/sample.hpp"

namespace weir::engine {

/// One image of a sample and how to decode it.
struct PlannedImage {
  std::span<const std::byte> encoded{};
  codec::DecodePlan decode{};
  bool whole = false;        ///< true: at its own size, into scratch; false: fitted, into the row
  bool blank = false;        ///< black pixels instead of `encoded`
  std::uint64_t offset = 0;  ///< in scratch
};

/// The plan of a row. It is made once from the headers, before memory is requested. Scratch holds
/// the whole images, and after them the working memory that decoders and transform use in turn.
struct RowPlan {
  std::array<PlannedImage, 3> image;
  std::size_t count = 0;             ///< number of images; 0: an encoded sample
  RowStatus status = RowStatus::ok;  ///< of a row without a decode
  std::uint64_t whole_images = 0;    ///< bytes of scratch for whole images
  codec::MemoryNeed work;            ///< the largest of the decodes and of the transform

  codec::MemoryNeed need() const noexcept {
    return {add_sat(whole_images, work.scratch), work.reserved};
  }
  std::span<const PlannedImage> images() const noexcept { return std::span(image).first(count); }
  /// Adds an image and the scratch that it needs.
  void add(const PlannedImage& image) noexcept;
  /// Gives the transform at least so many bytes of scratch. Call it after the last image.
  void add_transform(std::uint64_t bytes) noexcept;
};

/// Adds the second and the third image of `sample` to a plan that has the first. Empty, or the
/// defect, which says which image is bad.
std::optional<Defect> add_others(RowPlan& row, const codec::Decoder& decoder,
                                 const Encoded& sample);

/// The defect says which image is bad. If sizes differ, it sets the image's size in the row's slot.
Result<RowPlan> plan_row(const Shared& shared, const codec::Decoder& decoder, const Sample& sample);

}  // namespace weir::engine
