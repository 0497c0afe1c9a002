#include "codec/decoder.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <opencv2/core.hpp>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "codec/canvas.hpp"
#include "codec/jpeg_decoder.hpp"
#include "codec/place.hpp"
#include "codec/probe.hpp"

namespace weir::codec {
namespace {

constexpr std::uint64_t scratch_alignment = 64;

/// What decode() will do and where its scratch goes: the canvas, a spare line, a patch to turn.
struct Steps {
  Placement placement;
  CanvasNeed need;
  bool direct = false;  ///< the canvas is the target itself
  std::uint64_t canvas_bytes = 0, spare_offset = 0, patch_offset = 0, arena_offset = 0;
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

  Steps steps{.placement = {source, turn, view.target, options.fit.out},
              .need = canvas_need(info, source)};
  // A foreign codec writes rows without a gap, so its target must be whole rows of the output.
  const bool gapless = info.format != Format::foreign || view.target.width == options.fit.out.width;
  steps.direct =
      turn.identity() && !steps.placement.resamples() && steps.need.area == source && gapless;
  if (!steps.direct) {
    steps.canvas_bytes =
        mul_sat(std::uint64_t{steps.need.area.width} * steps.need.area.height, pixel_bytes);
  }
  steps.spare_offset = round_up(steps.canvas_bytes, scratch_alignment);
  steps.patch_offset =
      add_sat(steps.spare_offset, round_up(steps.need.spare_bytes, scratch_alignment));
  steps.arena_offset =
      add_sat(steps.patch_offset, round_up(steps.placement.patch_bytes(), scratch_alignment));
  steps.memory.scratch = add_sat(steps.arena_offset, steps.need.arena_bytes);
  // The decoder's own and the resize's memory never live at the same time.
  steps.memory.reserved = std::max(steps.need.reserved_bytes, steps.placement.reserved_bytes());
  return steps;
}

Canvas make_canvas(const Steps& steps, std::uint8_t* scratch, std::uint8_t* row) {
  const auto& [source, turn, target, out] = steps.placement;
  const Rect& area = steps.need.area;
  if (!steps.direct) return {scratch, area.width * pixel_bytes, area};
  return {row + (std::size_t{target.y} * out.width + target.x) * pixel_bytes,
          out.width * pixel_bytes, area};
}

void fill(const Canvas& canvas, std::uint8_t value) {
  for (std::uint32_t y = 0; y < canvas.area.height; ++y) {
    std::memset(canvas.pixels + y * canvas.stride, value, canvas.area.width * pixel_bytes);
  }
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
  assert(scratch.size() >= steps.memory.scratch && row.size() >= options.fit.out.values());
  auto* const memory = reinterpret_cast<std::uint8_t*>(scratch.data());
  const Canvas canvas = make_canvas(steps, memory, row.data());
  if (!options.strict) fill(canvas, missing_grey);

  Arena arena(scratch.subspan(static_cast<std::size_t>(steps.arena_offset),
                              static_cast<std::size_t>(steps.need.arena_bytes)));
  const auto status =
      decode_format(state_->jpeg, {encoded, info, canvas, memory + steps.spare_offset, arena,
                                   options.limits, options.strict, cancelled});
  if (!status) return status.defect();

  const auto start = Clock::now();
  try {
    zero_around(steps.placement.target, options.fit.out, row.data());
    if (!steps.direct) place(steps.placement, canvas, memory + steps.patch_offset, row.data());
  } catch (const std::bad_alloc&) {
    return Defect{FaultKind::memory, Stage::fit, "out of memory"};
  } catch (const cv::Exception& error) {
    return Defect{error.code == cv::Error::StsNoMem ? FaultKind::memory : FaultKind::corrupt,
                  Stage::fit, error.err};
  }
  const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
  return Decoded{info.damaged ? RowStatus::damaged : *status,
                 static_cast<std::uint64_t>(spent.count())};
}

}  // namespace weir::codec
