#include "codec/decoder.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <iterator>
#include <span>

#include "base/clock.hpp"
#include "codec/format.hpp"

namespace weir::codec {
namespace {

Canvas make_canvas(const DecodePlan& plan, std::uint8_t* scratch, std::uint8_t* row) {
  const auto& [source, orientation, target, out, antialias, part] = plan.placement;
  const Rect& area = plan.canvas.area;
  if (plan.canvas.streams) return {};
  if (!plan.direct) return {scratch, area.width * pixel_bytes, area};
  return {row + (std::size_t{target.y} * out.width + target.x) * pixel_bytes,
          out.width * pixel_bytes, area};
}

void fill(const Canvas& canvas, std::uint8_t value, const std::atomic<bool>& cancelled) {
  for (std::uint32_t y = 0; y < canvas.area.height && !cancelled.load(std::memory_order_relaxed);
       ++y) {
    std::memset(canvas.pixels + y * canvas.stride, value, canvas.area.width * pixel_bytes);
  }
}

/// Fills the lines that a damaged image does not have (lenient mode).
void put_missing(RowSink& sink, const Rect& source, std::uint8_t* spare) {
  if (sink.count() == source.height) return;
  std::memset(spare, missing_grey, source.width * pixel_bytes);
  while (sink.count() < source.height) sink.put(spare);
}

}  // namespace

Decoder::Decoder(DecoderOptions options) : options_(std::move(options)) {
  for (const Format* format : formats) kept_.push_back(format->keep ? format->keep() : nullptr);
}

Result<Decoded> Decoder::decode(std::span<const std::byte> encoded, const DecodePlan& plan,
                                std::span<std::byte> scratch, const std::atomic<bool>& cancelled,
                                std::span<std::uint8_t> row) {
  const auto& [source, orientation, target, out, antialias, part] = plan.placement;
  assert(scratch.size() >= plan.memory.scratch && row.size() >= out.values());
  auto* const memory = reinterpret_cast<std::uint8_t*>(scratch.data());
  const Canvas canvas = make_canvas(plan, memory, row.data());
  if (!options_.strict) fill(canvas, missing_grey, cancelled);
  zero_around(target, out, row.data());

  const auto start = Clock::now();
  RowSink sink(plan.placement, scratch.data() + plan.sink_offset, row.data());
  Arena arena(scratch.subspan(static_cast<std::size_t>(plan.arena_offset),
                              static_cast<std::size_t>(plan.canvas.arena_bytes)));
  const auto format = std::ranges::find(formats, plan.info.format) - std::begin(formats);
  const auto status = plan.info.format->decode(
      {encoded, plan.info, source, canvas, sink, memory + plan.spare_offset, arena, options_.limits,
       options_.strict, cancelled, plan.reduce, kept_[static_cast<std::size_t>(format)].get()});
  if (!status) return status.defect();
  if (plan.canvas.streams) {
    put_missing(sink, source, memory + plan.spare_offset);
  } else if (!plan.direct) {
    for (std::uint32_t y = 0; y < source.height; ++y) {
      if (cancelled.load(std::memory_order_relaxed)) return cancelled_decode();
      sink.put(canvas.at(source.x, source.y + y));
    }
  }
  // This is an estimate, so limit it to the total.
  const auto spent = std::min<Clock::duration>(sink.spent(), Clock::now() - start);
  return Decoded{plan.info.damaged ? RowStatus::damaged : *status,
                 static_cast<std::uint64_t>(std::chrono::nanoseconds(spent).count())};
}

}  // namespace weir::codec
