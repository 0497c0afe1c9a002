#include "api/sample_need.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/checked.hpp"
#include "engine/plan_planes.hpp"
#include "plan/pixel_plan.hpp"

namespace weir::api {
namespace {

/// A crop may be too small for a reduction that the whole image allows.
bool crops_vary(const Options& options) {
  return options.fit == Fit::random || options.window.choose;
}

codec::DecoderOptions options_for(const Options& options) {
  auto decoder = plan::decoder_options(options);
  if (crops_vary(options)) decoder.decode = Decode::exact;
  return decoder;
}

/// Resizes the whole image to `size`, in a canvas that is wider, so that no decoder writes to it
/// directly.
codec::FitSpec resized_to(ImageSize size) {
  return {.out = {size.height + 1, size.width + 1}, .into = {0, 0, size.width, size.height}};
}

}  // namespace

SampleNeed::SampleNeed(const Options& options, const std::vector<std::string>& offered)
    : options_(options),
      decoder_(options_for(options)),
      planes_(engine::plane_rules(options, offered)) {
  if (!crops_vary(options)) return;
  for (auto& plane : planes_) plane.decoder.decode = Decode::exact;
}

std::optional<std::uint64_t> SampleNeed::scratch_of(const Encoded& sample,
                                                    const codec::ImageInfo& info) const {
  if (options_.decode == Decode::none) return 0;
  const auto& decoder = decoder_;
  const auto upright = codec::upright_size(info, decoder.exif);
  const auto& shape = options_.shape;
  std::array<codec::FitSpec, 2> fits{decoder.fit};
  std::size_t count = 1;
  if (options_.sizes.mode != Sizes::fixed) {
    const auto size = scaled_within(upright, options_.sizes.bound());
    fits[0] = resized_to(size);
    // A replacement may have to be smaller. That needs the less, the smaller it is.
    fits[count++] = resized_to({std::max(2u, size.height) - 1, std::max(2u, size.width) - 1});
  } else if (crops_vary(options_) || options_.fit == Fit::patch) {
    // At least one of these sizes is not that of the image, so that it is resized.
    fits[0] = resized_to(shape);
    fits[count++] = resized_to({shape.height + 1, shape.width + 1});
  }
  const auto& transform = options_.transform;
  const engine::PlaneRules rules{.decoder = decoder,
                                 .whole = transform.takes_whole("image"),
                                 .transform_bytes = transform.scratch_bytes,
                                 .planes = planes_};
  std::uint64_t most = 0;
  for (const auto& fit : std::span(fits).first(count)) {
    const auto planned =
        engine::plan_planes(rules, sample, info, codec::choose_window(upright, fit, 0), fit.out);
    if (!planned) return std::nullopt;
    const auto need = planned->need();
    most = std::max(most, add_sat(need.scratch, need.reserved));
  }
  return most;
}

}  // namespace weir::api
