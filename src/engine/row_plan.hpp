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

/// One image of a sample and how it is decoded.
struct PlannedImage {
  std::span<const std::byte> encoded;
  codec::DecodePlan decode;
  bool whole = false;        ///< at its own size, into scratch; else fitted, into the row
  std::uint64_t offset = 0;  ///< in scratch
};

/// What becomes of a sample's bytes, decided once, from the headers, before memory is asked for.
/// Scratch: the whole images, then what decoders and transform work in, one after the other.
struct RowPlan {
  std::array<PlannedImage, 2> image;
  std::size_t count = 1;           ///< of images: 2 where a second one goes with the first
  std::uint64_t whole_images = 0;  ///< bytes of scratch
  codec::MemoryNeed need;

  std::span<PlannedImage> images() noexcept { return std::span(image).first(count); }
  std::span<const PlannedImage> images() const noexcept { return std::span(image).first(count); }
};

/// The row of these images; scratch has `transform_bytes` for the transform at the least.
RowPlan row_of(PlannedImage first, std::optional<PlannedImage> second,
               std::uint64_t transform_bytes) noexcept;

/// The defect names the second image where that is the bad one. Where sizes differ the row's slot gets its
/// image's size.
Result<RowPlan> plan_row(const Shared& shared, const codec::Decoder& decoder, const Sample& sample);

}  // namespace weir::engine
