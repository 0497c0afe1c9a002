#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/checked.hpp"
#include "base/defect.hpp"
#include "base/inline_list.hpp"
#include "codec/decoder.hpp"

namespace weir::engine {

/// One image of a sample and how to decode it.
struct PlannedPlane {
  std::span<const std::byte> encoded{};
  codec::DecodePlan decode{};
  bool whole = false;        ///< true: at its own size, into scratch; false: fitted, into the row
  bool blank = false;        ///< black pixels instead of `encoded`; of size 0 x 0: absent
  std::uint64_t offset = 0;  ///< in scratch
};

/// How to decode the images of one row. Scratch holds the whole images, and after them the working
/// memory that decoders and transform use in turn.
struct RowPlan {
  InlineList<PlannedPlane, 1 + EncodedPlanes::most> images;  ///< none: an encoded sample
  RowStatus status = RowStatus::ok;                          ///< of a row without a decode
  std::uint64_t whole_images = 0;                            ///< bytes of scratch for whole images
  codec::MemoryNeed work;  ///< the largest of the decodes and of the transform

  codec::MemoryNeed need() const noexcept {
    return {add_sat(whole_images, work.scratch), work.reserved};
  }
};

/// What decides how the images of a row are decoded, for all rows of a loader.
struct PlaneRules {
  const codec::DecoderOptions& decoder;
  bool transform = false;             ///< whether there is one
  bool whole = false;                 ///< whether it takes the whole first image
  std::uint64_t transform_bytes = 0;  ///< scratch of the transform
};

/// Plans the decodes of all images of `sample`. `first` is the header of the first image, which
/// `window` fits into a row of the size `out`, unless the rules say whole. Other images are decoded
/// whole. The defect says which image is bad. Pure.
Result<RowPlan> plan_planes(const PlaneRules& rules, const Encoded& sample,
                            const codec::ImageInfo& first, const codec::Window& window,
                            ImageSize out);

}  // namespace weir::engine
