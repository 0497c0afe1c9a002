#pragma once

#include <atomic>
#include <optional>

#include "codec/jpeg_tiles.hpp"
#include "support.hpp"

namespace weir::codec::test {

/// A JPEG with about so many tiles in each row of MCUs. Nothing if it stays as it is.
inline std::optional<Encoded> tiled_jpeg(const Encoded& jpeg, const ImageInfo& info,
                                         std::uint32_t tiles) {
  const TilePlan plan = plan_tiles(info, jpeg.size(), tiles);
  const Scratch scratch(plan.work_bytes);
  Encoded out(static_cast<std::size_t>(plan.most_bytes));
  const std::atomic<bool> never{false};
  const auto written = write_tiles(jpeg, plan, scratch, out, never);
  if (!written) return std::nullopt;
  return Encoded(written->begin(), written->end());
}

}  // namespace weir::codec::test
