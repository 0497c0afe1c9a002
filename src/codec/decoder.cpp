#include "codec/decoder.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <span>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "codec/canvas.hpp"
#include "codec/jpeg_decoder.hpp"
#include "codec/probe.hpp"
#include "codec/row_sink.hpp"

namespace weir::codec {
namespace {

constexpr std::uint64_t scratch_alignment = 64;

/// What decode() will do and where its scratch goes.
struct Steps {
  Placement placement;
  CanvasNeed need;
  bool direct = false;  ///< the canvas is the target itself
  std::uint64_t canvas_bytes = 0, spare_offset = 0, sink_offset = 0, arena_offset = 0;
  MemoryNeed memory{};
};

CanvasNeed canvas_need(const ImageInfo& info, const Rect& source) noexcept {
  switch (info.format) {
    case Format::jpeg: return jpeg_canvas(info, source);
    case Format::png: return png_canvas(info, source);
    case Format::webp: return webp_canvas(info, source);
    case Format::foreign: break;
  }
  return foreign_canvas(info);
}

Result<RowStatus> decode_format(JpegDecoder& jpeg, const DecodeJob& job) {
  switch (job.info.format) {
    case Format::jpeg: return jpeg.decode(job);
    case Format::png: return decode_png(job);
    case Format::webp: return decode_webp(job);
    case Format::foreign: break;
  }
  return decode_foreign(job);
}

Steps plan_steps(const ImageInfo& info, const DecoderOptions& options, std::uint64_t draw) {
  Turn turn = options.exif == Exif::apply ? Turn::of_exif(info.orientation) : Turn{};
  const std::uint32_t width = turn.transpose ? info.height : info.width;
  const std::uint32_t height = turn.transpose ? info.width : info.height;
  const Window view = window(width, height, options.fit, draw);
  // The window is of the upright image; what it mirrors, it mirrors in the output only.
  const Rect source = turn.stored(view.source, info.width, info.height);
  if (view.flip) turn = turn.flipped();

  Steps steps{.placement = {source, turn, view.target, options.fit.out, options.antialias},
              .need = canvas_need(info, source)};
  const CanvasNeed& need = steps.need;
  // A foreign codec writes rows without a gap, so its target must be whole rows of the output.
  const bool gapless = info.format != Format::foreign || view.target.width == options.fit.out.width;
  steps.direct = !need.streams && turn.identity() && !steps.placement.resamples() &&
                 need.area == source && gapless;
  if (!steps.direct && !need.streams) {
    const std::uint64_t pixels = std::uint64_t{need.area.width} * need.area.height;
    steps.canvas_bytes = add_sat(mul_sat(pixels, pixel_bytes), overrun);
  }
  const std::uint64_t sink_bytes = steps.direct ? 0 : RowSink::memory_bytes(steps.placement);
  const auto behind = [](std::uint64_t offset, std::uint64_t bytes) {
    return add_sat(offset, round_up(bytes, scratch_alignment));
  };
  steps.spare_offset = behind(0, steps.canvas_bytes);
  steps.sink_offset = behind(steps.spare_offset, need.spare_bytes);
  steps.arena_offset = behind(steps.sink_offset, sink_bytes);
  steps.memory = {add_sat(steps.arena_offset, need.arena_bytes), need.reserved_bytes};
  return steps;
}

Canvas make_canvas(const Steps& steps, std::uint8_t* scratch, std::uint8_t* row) {
  const auto& [source, turn, target, out, antialias] = steps.placement;
  const Rect& area = steps.need.area;
  if (steps.need.streams) return {};
  if (!steps.direct) return {scratch, area.width * pixel_bytes, area};
  return {row + (std::size_t{target.y} * out.width + target.x) * pixel_bytes,
          out.width * pixel_bytes, area};
}

void fill(const Canvas& canvas, std::uint8_t value) {
  for (std::uint32_t y = 0; y < canvas.area.height; ++y) {
    std::memset(canvas.pixels + y * canvas.stride, value, canvas.area.width * pixel_bytes);
  }
}

/// Lines that lenient mode did not reach.
void put_missing(RowSink& sink, const Rect& source, std::uint8_t* spare) {
  if (sink.count() == source.height) return;
  std::memset(spare, missing_grey, source.width * pixel_bytes);
  while (sink.count() < source.height) sink.put(spare);
}

}  // namespace

struct Decoder::State {
  explicit State(DecoderOptions wish) : options(std::move(wish)) {}
  DecoderOptions options;
  JpegDecoder jpeg;
};

Decoder::Decoder(DecoderOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

Result<ImageInfo> Decoder::probe(std::span<const std::byte> encoded) const {
  return probe_image(encoded, state_->options);
}

MemoryNeed Decoder::need(const ImageInfo& info, std::uint64_t draw) const {
  return plan_steps(info, state_->options, draw).memory;
}

Result<Decoded> Decoder::decode(std::span<const std::byte> encoded, const ImageInfo& info,
                                std::uint64_t draw, std::span<std::byte> scratch,
                                const std::atomic<bool>& cancelled, std::span<std::uint8_t> row) {
  const DecoderOptions& options = state_->options;
  const Steps steps = plan_steps(info, options, draw);
  const auto& [source, turn, target, out, antialias] = steps.placement;
  assert(scratch.size() >= steps.memory.scratch && row.size() >= out.values());
  auto* const memory = reinterpret_cast<std::uint8_t*>(scratch.data());
  const Canvas canvas = make_canvas(steps, memory, row.data());
  if (!options.strict) fill(canvas, missing_grey);
  zero_around(target, out, row.data());

  const auto start = Clock::now();
  RowSink sink(steps.placement, scratch.data() + steps.sink_offset, row.data());
  Arena arena(scratch.subspan(static_cast<std::size_t>(steps.arena_offset),
                              static_cast<std::size_t>(steps.need.arena_bytes)));
  const auto status =
      decode_format(state_->jpeg, {encoded, info, source, canvas, sink, memory + steps.spare_offset,
                                   arena, options.limits, options.strict, cancelled});
  if (!status) return status.defect();
  if (steps.need.streams) {
    put_missing(sink, source, memory + steps.spare_offset);
  } else if (!steps.direct) {
    for (std::uint32_t y = 0; y < source.height; ++y) sink.put(canvas.at(source.x, source.y + y));
  }
  // An estimate, so not above the whole.
  const auto spent = std::min<Clock::duration>(sink.spent(), Clock::now() - start);
  return Decoded{info.damaged ? RowStatus::damaged : *status,
                 static_cast<std::uint64_t>(std::chrono::nanoseconds(spent).count())};
}

}  // namespace weir::codec
