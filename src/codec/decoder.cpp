#include "codec/decoder.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
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
  std::uint32_t reduce = 1;
  bool direct = false;  ///< the canvas is the target itself
  std::uint64_t canvas_bytes = 0, spare_offset = 0, sink_offset = 0, arena_offset = 0;
  MemoryNeed memory{};
};

CanvasNeed canvas_need(const ImageInfo& info, const Rect& source, std::uint32_t reduce) noexcept {
  switch (info.format) {
    case Format::jpeg: return jpeg_canvas(info, source, reduce);
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

/// The most that a JPEG can be reduced by while it is as large as the output.
std::uint32_t reduction(const ImageInfo& info, const DecoderOptions& options, const Placement& p) {
  if (options.decode == Decode::exact || info.format != Format::jpeg || !jpeg_reduces(info))
    return 1;
  std::uint32_t reduce = 8;
  while (reduce > 1 &&
         (p.source.width / reduce < p.patch_width() || p.source.height / reduce < p.patch_height()))
    reduce /= 2;
  return reduce;
}

struct Range {
  std::uint32_t first, count;
  double from, span;
};

/// One side of the source in an image of `size` reduced: what of it to decode, with `around` more on
/// either side, and where in that the source begins.
Range reduced(std::uint32_t first, std::uint32_t count, std::uint32_t size, std::uint32_t reduce,
              double around) {
  const double from = double{1} * first / reduce, span = double{1} * count / reduce;
  const double low = std::max(0.0, std::floor(from - around));
  const double high =
      std::min(std::ceil(double{1} * size / reduce), std::ceil(from + span + around));
  return {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high - low), from - low,
          span};
}

/// Widens the source to what the filter looks at, in an image reduced.
void look_around(Placement& p, const ImageInfo& info, std::uint32_t reduce) {
  if (reduce == 1 && (!p.antialias || !p.resamples())) return;
  const auto around = [&](std::uint32_t in, std::uint32_t out) {
    return p.antialias ? std::max(1.0, double{1} * in / reduce / out) : 0.0;
  };
  const Rect s = p.source;
  const auto x = reduced(s.x, s.width, info.width, reduce, around(s.width, p.patch_width()));
  const auto y = reduced(s.y, s.height, info.height, reduce, around(s.height, p.patch_height()));
  p.part = {x.from, y.from, x.span, y.span};
  p.source = {x.first, y.first, x.count, y.count};
}

Turn turn_of(const ImageInfo& info, const DecoderOptions& options) {
  return options.exif == Exif::apply ? Turn::of_exif(info.orientation) : Turn{};
}

/// What the image is fitted to; stretched to its own size it is as it was.
FitSpec fit_of(const ImageInfo& info, const DecoderOptions& options) {
  if (!options.whole) return options.fit;
  return {.out = upright_shape(info, options.exif), .fit = Fit::stretch};
}

Steps plan_steps(const ImageInfo& info, const DecoderOptions& options, std::uint64_t draw) {
  const FitSpec fit = fit_of(info, options);
  Turn turn = turn_of(info, options);
  const std::uint32_t width = turn.transpose ? info.height : info.width;
  const std::uint32_t height = turn.transpose ? info.width : info.height;
  const Window view = window(width, height, fit, draw);
  // The window is of the upright image; what it mirrors, it mirrors in the output only.
  const Rect whole = turn.stored(view.source, info.width, info.height);
  if (view.flip) turn = turn.flipped();

  Steps steps{};
  steps.placement = {whole, turn, view.target, fit.out, options.antialias};
  steps.reduce = reduction(info, options, steps.placement);
  look_around(steps.placement, info, steps.reduce);
  const Rect& source = steps.placement.source;
  steps.need = canvas_need(info, source, steps.reduce);
  const CanvasNeed& need = steps.need;
  // A foreign codec writes rows without a gap, so its target must be whole rows of the output.
  const bool gapless = info.format != Format::foreign || view.target.width == fit.out.width;
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
  const auto& [source, turn, target, out, antialias, part] = steps.placement;
  const Rect& area = steps.need.area;
  if (steps.need.streams) return {};
  if (!steps.direct) return {scratch, area.width * pixel_bytes, area};
  return {row + (std::size_t{target.y} * out.width + target.x) * pixel_bytes,
          out.width * pixel_bytes, area};
}

void fill(const Canvas& canvas, std::uint8_t value, const std::atomic<bool>& cancelled) {
  for (std::uint32_t y = 0; y < canvas.area.height && !cancelled.load(std::memory_order_relaxed);
       ++y) {
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

Shape upright_shape(const ImageInfo& info, Exif exif) noexcept {
  const bool transposed = exif == Exif::apply && Turn::of_exif(info.orientation).transpose;
  return {transposed ? info.width : info.height, transposed ? info.height : info.width, 3};
}

Shape Decoder::upright(const ImageInfo& info) const noexcept {
  return upright_shape(info, state_->options.exif);
}

void Decoder::aim(const Shape& out, std::uint32_t height, std::uint32_t width) noexcept {
  state_->options.fit = {.out = out, .into = {0, 0, width, height}};
}

Shape Decoder::out(const ImageInfo& info) const noexcept {
  return fit_of(info, state_->options).out;
}

MemoryNeed Decoder::need(const ImageInfo& info, std::uint64_t draw) const {
  return plan_steps(info, state_->options, draw).memory;
}

Result<Decoded> Decoder::decode(std::span<const std::byte> encoded, const ImageInfo& info,
                                std::uint64_t draw, std::span<std::byte> scratch,
                                const std::atomic<bool>& cancelled, std::span<std::uint8_t> row) {
  const DecoderOptions& options = state_->options;
  const Steps steps = plan_steps(info, options, draw);
  const auto& [source, turn, target, out, antialias, part] = steps.placement;
  assert(scratch.size() >= steps.memory.scratch && row.size() >= out.values());
  auto* const memory = reinterpret_cast<std::uint8_t*>(scratch.data());
  const Canvas canvas = make_canvas(steps, memory, row.data());
  if (!options.strict) fill(canvas, missing_grey, cancelled);
  zero_around(target, out, row.data());

  const auto start = Clock::now();
  RowSink sink(steps.placement, scratch.data() + steps.sink_offset, row.data());
  Arena arena(scratch.subspan(static_cast<std::size_t>(steps.arena_offset),
                              static_cast<std::size_t>(steps.need.arena_bytes)));
  const auto status =
      decode_format(state_->jpeg, {encoded, info, source, canvas, sink, memory + steps.spare_offset,
                                   arena, options.limits, options.strict, cancelled, steps.reduce});
  if (!status) return status.defect();
  if (steps.need.streams) {
    put_missing(sink, source, memory + steps.spare_offset);
  } else if (!steps.direct) {
    for (std::uint32_t y = 0; y < source.height; ++y) {
      if (cancelled.load(std::memory_order_relaxed)) return cancelled_decode();
      sink.put(canvas.at(source.x, source.y + y));
    }
  }
  // An estimate, so not above the whole.
  const auto spent = std::min<Clock::duration>(sink.spent(), Clock::now() - start);
  return Decoded{info.damaged ? RowStatus::damaged : *status,
                 static_cast<std::uint64_t>(std::chrono::nanoseconds(spent).count())};
}

}  // namespace weir::codec
