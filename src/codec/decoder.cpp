#include "codec/decoder.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/checked.hpp"
#include "codec/format.hpp"
#include "codec/pixel_lines.hpp"

namespace weir::codec {
namespace {

/// The largest reduction with which the image is still as large as the output.
std::uint32_t reduction(const ImageInfo& info, const DecoderOptions& options, const Placement& p) {
  const auto can_reduce = info.format->reduces;
  if (options.decode == Decode::exact || can_reduce == nullptr || !can_reduce(info)) return 1;
  std::uint32_t reduce = 8;
  while (reduce > 1 &&
         (p.source.width / reduce < p.patch_width() || p.source.height / reduce < p.patch_height()))
    reduce /= 2;
  return reduce;
}

/// The first of `size` pixels that a range touches, and the end of them. Not a pixel that only the
/// rounding of the edges touches.
std::pair<double, double> whole_pixels(double from, double to, double size) {
  constexpr double noise = 1e-6;
  const double low = std::clamp(std::floor(from + noise), 0.0, size - 1);
  return {low, std::clamp(std::ceil(to - noise), low + 1, size)};
}

struct Range {
  std::uint32_t first, count;
  double from, span;
};

/// Computes one side of the source rectangle in a reduced image: the range to decode, including
/// `around` more pixels on each side, and the start of the source within it.
Range reduced(double first, double count, std::uint32_t size, std::uint32_t reduce, double around) {
  const double from = first / reduce, span = count / reduce;
  const auto [low, high] =
      whole_pixels(from - around, from + span + around, std::ceil(double{1} * size / reduce));
  return {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high - low), from - low,
          span};
}

/// The whole pixels of `shown`, which is in stored coordinates, in a reduced image. Adds those that
/// the filter also reads.
void look_at(Placement& p, const Rect& shown, const ImageInfo& info, std::uint32_t reduce) {
  const auto around = [&](double in, std::uint32_t out) {
    return p.filter == Filter::antialiased ? std::max(1.0, in / reduce / out) : 0.0;
  };
  const auto x =
      reduced(shown.x, shown.width, info.width, reduce, around(shown.width, p.patch_width()));
  const auto y =
      reduced(shown.y, shown.height, info.height, reduce, around(shown.height, p.patch_height()));
  p.part = {x.from, y.from, x.span, y.span};
  p.source = {x.first, y.first, x.count, y.count};
}

/// The pixels that `area` touches, of an image of the size `width` x `height`.
PixelRect touched(const Rect& area, std::uint32_t width, std::uint32_t height) {
  const auto side = [](double from, double span, std::uint32_t size) {
    const auto [low, high] = whole_pixels(from, from + span, size);
    return std::pair(static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high - low));
  };
  const auto [x, across] = side(area.x, area.width, width);
  const auto [y, down] = side(area.y, area.height, height);
  return {x, y, across, down};
}

Orientation orientation_of(const ImageInfo& info, const DecoderOptions& options) {
  return options.exif == Exif::apply ? Orientation::of_exif(info.orientation) : Orientation{};
}

Canvas make_canvas(const DecodePlan& plan, std::uint8_t* scratch, std::uint8_t* row) {
  const PixelRect& target = plan.placement.target;
  const ImageSize out = plan.placement.out;
  const PixelFormat format = plan.canvas.native;
  const std::size_t pixel = pixel_bytes(format);
  const PixelRect& area = plan.canvas.area;
  if (plan.canvas.streams) return {};
  if (!plan.direct) return {scratch, area.width * pixel, area, format};
  return {row + (std::size_t{target.y} * out.width + target.x) * pixel, out.width * pixel, area,
          format};
}

/// Gives a canvas the pixels that a damaged image does not have (lenient mode).
void fill_canvas(const Canvas& canvas, const Fill& fill, const std::atomic<bool>& cancelled) {
  for (std::uint32_t y = 0; y < canvas.area.height && !cancelled.load(std::memory_order_relaxed);
       ++y) {
    fill_missing(canvas.pixels + y * canvas.stride, canvas.format, canvas.area.width, fill);
  }
}

/// Where the decode plan reads and writes.
Placement placement_of(const ImageInfo& info, const Crop& crop, ImageSize out,
                       const DecoderOptions& options) {
  const Orientation file = orientation_of(info, options);
  const auto upright = upright_size(info, options.exif);
  const PixelRect pixels = touched(crop.source, upright.width, upright.height);
  // The crop is relative to the upright image. Its flip applies only to the output.
  Placement p{.source = file.stored(pixels, info.width, info.height),
              .orientation = file.flipped(crop.flip),
              .target = crop.target,
              .out = out,
              .filter = resolved(options.filter, options.pixels),
              .fractional = Rect(pixels) != crop.source,
              .format = options.pixels,
              .file = file,
              .fill = options.fill};
  if (p.fractional && p.filter == Filter::nearest) {
    const auto& shown = crop.source;
    p.part = {shown.x - pixels.x, shown.y - pixels.y, shown.width, shown.height};
    if (file.transpose) p.part = {p.part.y, p.part.x, p.part.height, p.part.width};
  }
  return p;
}

}  // namespace

DecodePlan plan_decode(const ImageInfo& info, const Crop& crop, ImageSize out,
                       const DecoderOptions& options) {
  DecodePlan plan{.info = info, .placement = placement_of(info, crop, out, options)};
  auto& placement = plan.placement;
  const Orientation& orientation = placement.orientation;
  plan.reduce = reduction(info, options, placement);
  const bool reads_around = placement.filter == Filter::antialiased && placement.resamples();
  const bool in_pixels = placement.fractional && placement.filter != Filter::nearest;
  if (plan.reduce > 1 || reads_around || in_pixels)
    look_at(placement, placement.file.stored(crop.source, info.width, info.height), info,
            plan.reduce);
  const PixelRect& source = plan.placement.source;
  plan.canvas = info.format->need(info, source, plan.reduce, options.pixels);
  plan.placement.native = plan.canvas.native;
  const CanvasNeed& need = plan.canvas;
  // Rows of the canvas are then complete rows of the output.
  const bool gapless = !need.gapless || crop.target.width == out.width;
  plan.direct = !need.streams && orientation.identity() && !plan.placement.resamples() &&
                need.area == source && gapless && need.native == options.pixels;
  if (!plan.direct && !need.streams) {
    const std::uint64_t pixels = std::uint64_t{need.area.width} * need.area.height;
    plan.canvas_bytes = add_sat(mul_sat(pixels, pixel_bytes(need.native)), overrun);
  }
  const std::uint64_t sink_bytes = plan.direct ? 0 : RowSink::memory_bytes(plan.placement);
  Packing block;
  block.add(need.arena_bytes);
  plan.canvas_offset = block.add(plan.canvas_bytes);
  plan.spare_offset = block.add(need.spare_bytes);
  plan.sink_offset = block.add(sink_bytes);
  plan.memory = {block.bytes, need.reserved_bytes};
  return plan;
}

DecodePlan plan_whole(const ImageInfo& info, ImageSize out, const DecoderOptions& options) {
  const auto [height, width] = upright_size(info, options.exif);
  return plan_decode(
      info, {.source = PixelRect{0, 0, width, height}, .target = {0, 0, out.width, out.height}},
      out, options);
}

DecodePlan plan_whole(const ImageInfo& info, const DecoderOptions& options) {
  return plan_whole(info, upright_size(info, options.exif), options);
}

ImageSize upright_size(const ImageInfo& info, Exif exif) noexcept {
  const bool transposed = exif == Exif::apply && Orientation::of_exif(info.orientation).transpose;
  return {transposed ? info.width : info.height, transposed ? info.height : info.width};
}

ImageSize size_for_any_exif(const ImageInfo& info) noexcept {
  const bool transposed = Orientation::of_exif(info.orientation).transpose;
  if (transposed && info.height != info.width) return {};
  return {info.height, info.width};
}

Decoder::Decoder(DecoderOptions options) : options_(std::move(options)) {
  for (const Format* format : formats) kept_.push_back(format->keep ? format->keep() : nullptr);
}

Result<Decoded> Decoder::decode(std::span<const std::byte> encoded, const DecodePlan& plan,
                                std::span<std::byte> scratch, const std::atomic<bool>& cancelled,
                                std::span<std::uint8_t> row) {
  const auto& source = plan.placement.source;
  assert(scratch.size() >= plan.memory.scratch && row.size() >= plan.out_bytes());
  auto* const memory = reinterpret_cast<std::uint8_t*>(scratch.data());
  const Canvas canvas = make_canvas(plan, memory + plan.canvas_offset, row.data());
  if (!options_.strict) fill_canvas(canvas, plan.placement.fill, cancelled);
  fill_around(plan.placement, row.data());

  RowSink sink(plan.placement, scratch.data() + plan.sink_offset, row.data());
  Arena arena(scratch.first(static_cast<std::size_t>(plan.canvas.arena_bytes)));
  const auto format = std::ranges::find(formats, plan.info.format) - std::begin(formats);
  const auto status = plan.info.format->decode(
      {encoded, plan.info, source, canvas, sink, memory + plan.spare_offset, arena, options_.limits,
       options_.strict, cancelled, plan.canvas.native, plan.reduce,
       kept_[static_cast<std::size_t>(format)].get()});
  if (!status) return status.defect();
  if (plan.canvas.streams) {
    sink.put_missing(memory + plan.spare_offset);
  } else if (!plan.direct) {
    for (std::uint32_t y = 0; y < source.height; ++y) {
      if (cancelled.load(std::memory_order_relaxed)) return cancelled_decode();
      sink.put(canvas.at(source.x, source.y + y));
    }
  }
  return Decoded{plan.info.damaged ? RowStatus::damaged : *status,
                 static_cast<std::uint64_t>(std::chrono::nanoseconds(sink.spent()).count())};
}

}  // namespace weir::codec
