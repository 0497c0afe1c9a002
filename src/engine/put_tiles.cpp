#include "engine/put_tiles.hpp"

#include "base/checked.hpp"
#include "codec/format.hpp"
#include "codec/jpeg_part.hpp"
#include "codec/jpeg_tiles.hpp"

namespace weir::engine {
namespace {

std::uint64_t list_bytes(const codec::ImageInfo& info) noexcept {
  return round_up(codec::jpeg_list_bytes(info), codec::Arena::alignment);
}

}  // namespace

bool put_tiles(buffer::KeptSample& sample, std::uint32_t tiles,
               const codec::DecoderOptions& decoder, RowMemory& memory,
               const std::atomic<bool>& stopping) noexcept {
  try {
    const auto before = codec::probe_image(sample.data.bytes, decoder);
    if (!before || before->format != &codec::jpeg_format) return false;
    const auto plan = codec::plan_tiles(*before, sample.data.bytes.size(), tiles);
    const auto out_at = round_up(plan.work_bytes, codec::Arena::alignment);
    const auto scratch = memory.try_scratch(add_sat(out_at, plan.most_bytes));
    if (scratch.empty()) return false;
    const auto out = scratch.subspan(static_cast<std::size_t>(out_at));
    const auto tiled = codec::write_tiles(
        sample.data.bytes, plan, scratch.first(static_cast<std::size_t>(out_at)), out, stopping);
    if (!tiled) return false;
    const auto after = codec::probe_image(*tiled, decoder);
    // Its decodes need more memory, for the list of segments. In all, the sample must not need more than
    // without tiles: no row may fail because of a cache.
    const auto more = after ? sub_floor(list_bytes(*after), list_bytes(*before)) : unlimited;
    if (more > sample.charged) return false;
    sample.charged -= more;
    sample.data.bytes = *tiled;
    return true;
  } catch (...) {  // as without memory: the sample is kept without tiles
    return false;
  }
}

}  // namespace weir::engine
