#include "engine/plan_planes.hpp"

#include <algorithm>

#include "buffer/block.hpp"
#include "engine/failure.hpp"

namespace weir::engine {
namespace {

/// Adds an image and the scratch that it needs.
void add(RowPlan& row, const PlannedPlane& planned) noexcept {
  auto& added = row.images.push_back(planned);
  if (added.whole) {
    added.offset = row.whole_images;
    row.whole_images =
        add_sat(row.whole_images, round_up(added.decode.out_bytes(), buffer::Block::alignment));
  }
  row.work.scratch = std::max(row.work.scratch, added.decode.memory.scratch);
  row.work.reserved = std::max(row.work.reserved, added.decode.memory.reserved);
}

}  // namespace

Result<RowPlan> plan_planes(const PlaneRules& rules, const Encoded& sample,
                            const codec::ImageInfo& first, const codec::Window& window,
                            ImageSize out) {
  if (!rules.transform && !sample.planes.empty()) return untaken_planes();
  RowPlan row;
  add(row, {.encoded = sample.bytes,
            .decode = rules.whole ? codec::plan_whole(first, rules.decoder)
                                  : codec::plan_decode(first, window, out, rules.decoder),
            .whole = rules.whole});
  for (const auto& encoded : sample.planes) {
    if (encoded.empty()) {
      add(row, {.whole = true, .blank = true});
    } else {
      const auto info = codec::probe_image(encoded, rules.decoder);
      if (!info) return of_image(info.defect(), row.images.size());
      add(row,
          {.encoded = encoded, .decode = codec::plan_whole(*info, rules.decoder), .whole = true});
    }
  }
  if (rules.transform) row.work.scratch = std::max(row.work.scratch, rules.transform_bytes);
  return row;
}

}  // namespace weir::engine
