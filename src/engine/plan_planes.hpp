#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/defect.hpp"
#include "base/inline_list.hpp"
#include "codec/decoder.hpp"
#include "weir/options.hpp"
#include "weir/rows.hpp"

namespace weir::engine {

/// One image of a sample and how to decode it.
struct PlannedPlane {
  std::span<const std::byte> encoded{};
  codec::DecodePlan decode{};
  bool whole = false;  ///< at its own size; otherwise fitted
  bool in_scratch =
      false;            ///< decoded into scratch: whole, or of a partner; otherwise into the row
  bool filled = false;  ///< nothing is decoded: the row is fill
  PlaneStatus status = PlaneStatus::ok;  ///< of a plane, unless its decode changes it
  std::uint64_t offset = 0;              ///< in scratch
  PixelOffset at{};                      ///< in the row, of a fitted image of a partner
};

/// How to decode the images of one sample of a row. Scratch holds the images that do not go into the row,
/// and after them the working memory that decoders and transform use in turn.
struct RowPlan {
  /// The image, and the planes in the order of Options::planes. None: an encoded sample.
  InlineList<PlannedPlane, 1 + EncodedPlanes::most> images;
  RowStatus status = RowStatus::ok;  ///< of a row without a decode
  std::uint64_t images_begin = 0;    ///< in scratch: behind those of the samples before it
  std::uint64_t image_bytes = 0;     ///< of its images in scratch
  codec::MemoryNeed work;            ///< the largest of the decodes and of the transform
  std::vector<std::pair<std::size_t, Defect>> broken;  ///< planes that are, and why

  std::uint64_t images_end() const noexcept { return add_sat(images_begin, image_bytes); }
  codec::MemoryNeed need() const noexcept {
    return {add_sat(images_end(), work.scratch), work.reserved};
  }
};

/// One plane of Options::planes.
struct PlaneRule {
  PlaneOptions options;
  codec::DecoderOptions decoder;  ///< of its rows
  std::size_t offered = 0;        ///< its position among the planes of the source, unless `made`
  bool whole = false;             ///< whether the transform takes it whole
};

/// Whether a row needs plane `offered` of the source.
inline bool wants(std::span<const PlaneRule> rules, std::size_t offered) noexcept {
  return std::ranges::any_of(
      rules, [&](const PlaneRule& rule) { return !rule.options.made && rule.offered == offered; });
}

/// What decides how the images of a row are decoded, for all rows of a loader.
struct PlaneRules {
  codec::DecoderOptions decoder;      ///< of the image
  bool whole = false;                 ///< whether the transform takes the whole image
  std::uint64_t transform_bytes = 0;  ///< scratch of the transform
  std::vector<PlaneRule> planes{};    ///< of Options::planes
};

/// The planes of a sample that its source could not read. The plan of the row judges them.
using UnreadPlanes = std::vector<Defect>;

/// The rules of these options. `offered`: the planes of the source. Throws Error{bad_options} for a
/// plane that it does not offer, and for a name that no plane may have.
PlaneRules plane_rules(const Options& options, const std::vector<std::string>& offered);

/// Whether a sample is the row's own, or a partner. A partner's images all go into scratch, without the
/// fill around them.
enum class Part : std::uint8_t { own, partner };

/// Plans the decodes of all images of `sample`. `first` is the header of the first image, which
/// `window` fits into a row of the size `out`. The planes show what the window shows. The defect says
/// which image is bad. Pure. `unread`: planes of the sample.
Result<RowPlan> plan_planes(const PlaneRules& rules, const Encoded& sample,
                            const codec::ImageInfo& first, const Window& window, ImageSize out,
                            const UnreadPlanes& unread = {}, Part part = Part::own);

/// The same defect, marked as one of a plane.
Defect of_plane(Defect defect, const PlaneRule& rule);

}  // namespace weir::engine
