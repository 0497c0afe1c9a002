#include "api/sample_need.hpp"

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "engine/row_plan.hpp"
#include "plan/decoder_options.hpp"

namespace weir::api {
namespace {

codec::DecoderOptions options_for(const Options& options) {
  auto decoder = plan::decoder_options(options);
  // A random crop may be too small for a reduction that the whole image allows.
  if (options.fit == Fit::random) decoder.decode = Decode::exact;
  return decoder;
}

/// Resizes the whole image to `size`, in a canvas that is wider, so that no decoder writes to it
/// directly.
codec::FitSpec resized_to(ImageSize size) {
  return {.out = {size.height + 1, size.width + 1}, .into = {0, 0, size.width, size.height}};
}

}  // namespace

SampleNeed::SampleNeed(const Options& options)
    : options_(options), decoder_(options_for(options)) {}

codec::DecodePlan SampleNeed::largest(const codec::ImageInfo& info) const {
  const auto upright = decoder_.upright(info);
  const auto& shape = options_.shape;
  std::array<codec::FitSpec, 3> fits{plan::decoder_options(options_).fit};
  std::size_t count = 1;
  if (options_.sizes.mode != Sizes::fixed) {
    const auto size = scaled_within({upright.height, upright.width}, options_.sizes.bound());
    fits[0] = resized_to(size);
    // A replacement may have to be smaller. That needs the less, the smaller it is.
    fits[count++] = resized_to({std::max(2u, size.height) - 1, std::max(2u, size.width) - 1});
  } else if (options_.fit == Fit::random) {
    // At least one of these sizes is not that of the image, so that it is resized.
    fits[0] = resized_to({shape.height, shape.width});
    fits[count++] = resized_to({shape.height + 1, shape.width + 1});
  }
  codec::DecodePlan most;
  for (std::size_t i = 0; i < count; ++i) {
    auto plan = decoder_.plan(info, fits[i], 0);
    const auto bytes = [](const auto& memory) { return add_sat(memory.scratch, memory.reserved); };
    if (i == 0 || bytes(plan.memory) > bytes(most.memory)) most = plan;
  }
  return most;
}

std::optional<std::uint64_t> SampleNeed::scratch_of(const Encoded& sample,
                                                    const codec::ImageInfo& info) const {
  if (options_.decode == Decode::none) return 0;
  const bool transforms = options_.transform.apply != nullptr;
  const bool whole = transforms && options_.transform.input == TransformInput::decoded;
  engine::RowPlan row;
  row.add({.encoded = sample.bytes,
           .decode = whole ? decoder_.plan_whole(info) : largest(info),
           .whole = whole});
  if (engine::add_others(row, decoder_, sample)) return std::nullopt;
  if (transforms) row.add_transform(options_.transform.scratch_bytes);
  return add_sat(row.need().scratch, row.need().reserved);
}

}  // namespace weir::api
