#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "codec/decoder.hpp"
#include "engine/context.hpp"
#include "engine/sample.hpp"

namespace weir::engine {

/// One image of a sample and how to decode it.
struct PlannedImage {
  std::span<const std::byte> encoded;
  codec::DecodePlan decode;
  bool whole = false;        ///< true: at its own size, into scratch; false: fitted, into the row
  std::uint64_t offset = 0;  ///< in scratch
};

/// The plan of a row. It is made once from the headers, before memory is requested. Scratch holds
/// the whole images, and after them the working memory that decoders and transform use in turn.
struct RowPlan {
  std::array<PlannedImage, 2> image;
  std::size_t count = 1;           ///< number of images; 2 if there is a second one
  std::uint64_t whole_images = 0;  ///< bytes of scratch for whole images
  codec::MemoryNeed need;

  std::span<PlannedImage> images() noexcept { return std::span(image).first(count); }
  std::span<const PlannedImage> images() const noexcept { return std::span(image).first(count); }
};

/// Plans the row of these images. The transform gets at least `transform_bytes` of scratch.
RowPlan row_of(PlannedImage first, std::optional<PlannedImage> second,
               std::uint64_t transform_bytes) noexcept;

/// The defect names the second image if that one is bad. If sizes differ, it sets the image's size
/// in the row's slot.
Result<RowPlan> plan_row(const Shared& shared, const codec::Decoder& decoder, const Sample& sample);

}  // namespace weir::engine
