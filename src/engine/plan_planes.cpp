#include "engine/plan_planes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "buffer/block.hpp"
#include "plan/pixel_plan.hpp"
#include "source/plane_names.hpp"

namespace weir::engine {
namespace {

/// Adds an image and the scratch that it needs.
void add(RowPlan& row, const PlannedPlane& planned, Part part) noexcept {
  auto& added = row.images.push_back(planned);
  if (added.filled) return;
  added.in_scratch = added.whole || part == Part::partner;
  if (added.in_scratch) {
    added.offset = row.image_bytes;
    row.image_bytes =
        add_sat(row.image_bytes, round_up(added.decode.out_bytes(), buffer::Block::alignment));
  }
  row.work.cover(added.decode.memory);
}

/// Whether the sides of a plane are those of the image times one ratio.
bool sides_match(ImageSize image, ImageSize plane) {
  constexpr double pixels = 2, share = 0.01;
  if (image.width > image.height)
    return sides_match({image.width, image.height}, {plane.width, plane.height});
  // The width that the plane would have with the ratio of the heights. The heights are the longer
  // sides, whose ratio a rounding changes less.
  const double wanted = double{1} * image.width * plane.height / image.height;
  return std::abs(wanted - plane.width) <= std::max(pixels, share * plane.width);
}

std::optional<Defect> mismatch(ImageSize image, ImageSize plane) {
  if (sides_match(image, plane)) return std::nullopt;
  const bool turned = sides_match(image, {plane.width, plane.height});
  return Defect{FaultKind::unsupported, Stage::decode,
                concat("it is ", sides(plane), " beside an image of ", sides(image),
                       turned ? ": one of them is turned; see `exif` = ignore"
                              : ": their ratios differ; see `match` = stretch")};
}

/// Fit::patch resamples no plane, so its file must have the size of the image times `scale`, rounded.
std::optional<Defect> misfit(ImageSize image, ImageSize plane, Ratio scale) {
  const std::int64_t up = scale.numerator, down = scale.denominator;
  const auto is_rounded = [&](std::int64_t file, std::int64_t side) {
    return std::abs(file * down - side * up) < down;
  };
  if (is_rounded(plane.height, image.height) && is_rounded(plane.width, image.width))
    return std::nullopt;
  return Defect{FaultKind::unsupported, Stage::decode,
                concat("it is ", sides(plane), " beside an image of ", sides(image),
                       ", and `fit` = patch with the plane's `scale` takes ",
                       sides(scaled_by(image, scale)), "; see `match` = stretch")};
}

/// How to decode what `crop` shows into a row of the size `out`.
PlannedPlane fitted(std::span<const std::byte> encoded, const codec::ImageInfo& info,
                    codec::Crop crop, ImageSize out, const codec::DecoderOptions& decoder,
                    Part part) {
  PixelOffset at;
  if (part == Part::partner) {
    auto& [x, y, width, height] = crop.target;
    out = {height, width};
    at = {std::exchange(x, 0), std::exchange(y, 0)};
  }
  return {.encoded = encoded, .decode = codec::plan_decode(info, crop, out, decoder), .at = at};
}

PlannedPlane whole(std::span<const std::byte> encoded, const codec::ImageInfo& info,
                   const codec::DecoderOptions& decoder) {
  return {.encoded = encoded, .decode = codec::plan_whole(info, decoder), .whole = true};
}

Result<PlannedPlane> plan_plane(const PlaneRule& rule, std::span<const std::byte> encoded,
                                const Window& window, ImageSize out, Part part) {
  const auto info = codec::probe_image(encoded, rule.decoder);
  if (!info) return info.defect();
  const auto size = codec::upright_size(*info, rule.decoder.exif);
  if (rule.options.match == PlaneMatch::ratio)
    if (auto defect = mismatch(window.image, size)) return *std::move(defect);
  if (rule.whole) return whole(encoded, *info, rule.decoder);
  const bool exact = rule.decoder.fit.fit == Fit::patch && rule.options.match == PlaneMatch::ratio;
  if (exact)
    if (auto defect = misfit(window.image, size, rule.options.scale)) return *std::move(defect);
  const auto shown = codec::crop_of(window, size, rule.options.scale, exact);
  if (shown.target.width == 0 || shown.target.height == 0) return PlannedPlane{.filled = true};
  return fitted(encoded, *info, shown, scaled_by(out, rule.options.scale), rule.decoder, part);
}

void check_names(const std::vector<std::string>& offered) {
  std::vector<std::string> before;
  for (const auto& name : offered) {
    if (const auto why = source::not_a_plane(name, before); !why.empty())
      refuse(Stage::read, "Source::planes()[", before.size(), "] = ", why);
    before.push_back(name);
  }
}

}  // namespace

PlaneRules plane_rules(const Options& options, const std::vector<std::string>& offered) {
  check_names(offered);
  PlaneRules rules{.decoder = plan::decoder_options(options),
                   .whole = options.transform.takes_whole("image"),
                   .transform_bytes = options.transform.scratch_bytes};
  for (std::size_t i = 0; i < options.planes.size(); ++i) {
    const auto& plane = options.planes[i];
    const auto found = std::ranges::find(offered, plane.name);
    if (!plane.made && found == offered.end()) {
      refuse(Stage::read, "`planes[", i, "].name` = ", plane.name,
             ": the planes of the source are ", source::list_of(offered), "; see with_plane()");
    }
    rules.planes.push_back({.options = plane,
                            .decoder = plan::decoder_options(options, plane),
                            .offered = static_cast<std::size_t>(found - offered.begin()),
                            .whole = !plane.made && options.transform.takes_whole(plane.name)});
  }
  return rules;
}

Result<RowPlan> plan_planes(const PlaneRules& rules, const Encoded& sample,
                            const codec::ImageInfo& first, const Window& window, ImageSize out,
                            const UnreadPlanes& unread, Part part) {
  if (window.empty())
    return Defect{FaultKind::unsupported, Stage::decode,
                  concat("the image is ", sides(window.image), ", smaller than the patch of ",
                         sides(out), "; see `patch.pad_small`")};
  const auto crop = codec::crop_of(window, window.image);
  if (crop.target.width == 0)
    return Defect{FaultKind::unsupported, Stage::decode,
                  concat("the window ", text_of(window.source), " shows nothing of an image of ",
                         sides(window.image), " in the target ", text_of(window.target))};
  RowPlan row;
  add(row,
      rules.whole ? whole(sample.bytes, first, rules.decoder)
                  : fitted(sample.bytes, first, crop, out, rules.decoder, part),
      part);
  for (const auto& rule : rules.planes) {
    const auto& plane = rule.options;
    const bool there =
        !plane.made && rule.offered < sample.planes.size() && !sample.planes[rule.offered].empty();
    const auto failed = std::ranges::find(unread, std::optional(rule.offered), &Defect::plane);
    const bool absent = !there && failed == unread.end();
    if (plane.made || (absent && plane.optional)) {
      add(row, {.filled = true, .status = plane.made ? PlaneStatus::ok : PlaneStatus::absent},
          part);
      continue;
    }
    auto planned = there ? plan_plane(rule, sample.planes[rule.offered], window, out, part)
                   : absent
                       ? Defect{FaultKind::io, Stage::read, "the sample has none; see optional"}
                       : *failed;
    if (planned) {
      add(row, *planned, part);
    } else if (plane.optional) {
      add(row, {.filled = true, .status = PlaneStatus::broken}, part);
      row.broken.emplace_back(row.images.size() - 2, of_plane(std::move(planned.defect()), rule));
    } else {
      return of_plane(std::move(planned.defect()), rule);
    }
  }
  row.work.cover({.scratch = rules.transform_bytes});
  return row;
}

Defect of_plane(Defect defect, const PlaneRule& rule) {
  defect.plane = rule.offered;
  return defect;
}

}  // namespace weir::engine
