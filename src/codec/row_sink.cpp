#include "codec/row_sink.hpp"

#include <cstring>

#include "base/clock.hpp"
#include "base/fill.hpp"
#include "codec/arena.hpp"
#include "codec/pixel_lines.hpp"

namespace weir::codec {
namespace {

/// A prime: if each second line makes a row, lines of both kinds are timed. The first line makes none.
constexpr std::uint32_t lines_a_measurement = 37, first_measured = 9;

Resize resize_of(const Placement& p) noexcept {
  return {.in_width = p.source.width,
          .in_height = p.source.height,
          .out_width = p.patch_width(),
          .out_height = p.patch_height(),
          .mirror = p.orientation.mirror_x,
          .reverse_x = p.file.mirror_x,
          .reverse_y = p.file.mirror_y,
          .part = p.part,
          .filter = p.filter,
          .format = p.format};
}

/// The parts of the sink's memory.
struct Parts {
  std::uint64_t resampler, transposed, converted;
  std::uint64_t bytes;
};

Parts parts_of(const Placement& p) noexcept {
  const std::uint64_t pixel = pixel_bytes(p.format);
  const bool resamples = p.resamples();
  Parts at{};
  Packing block;
  at.resampler = block.add(resamples ? Resampler::memory_bytes(resize_of(p)) : 0);
  at.transposed = block.add(resamples && p.orientation.transpose ? p.patch_width() * pixel : 0);
  at.converted = block.add(p.native != p.format ? p.source.width * pixel + overrun : 0);
  at.bytes = block.bytes;
  return at;
}

}  // namespace

std::uint64_t RowSink::memory_bytes(const Placement& placement) noexcept {
  return parts_of(placement).bytes;
}

RowSink::RowSink(const Placement& placement, std::byte* memory, std::uint8_t* row) noexcept
    : placement_(placement), memory_(memory), row_(row) {
  const auto& target = placement.target;
  const auto pixel = static_cast<std::ptrdiff_t>(pixel_bytes(placement.format)),
             stride = static_cast<std::ptrdiff_t>(placement.out.width) * pixel;
  first_ = row + target.y * stride + target.x * pixel;
  line_step_ = placement.orientation.transpose ? pixel : stride;
  if (placement.orientation.mirror_y) {
    first_ += (placement.patch_height() - 1) * line_step_;
    line_step_ = -line_step_;
  }
  const Parts at = parts_of(placement);
  const auto part = [&](std::uint64_t from) {
    return reinterpret_cast<std::uint8_t*>(memory + from);
  };
  if (placement.native != placement.format) converted_ = part(at.converted);
  if (!placement.resamples()) return;
  resampler_ = Resampler(resize_of(placement), memory + at.resampler);
  if (placement.orientation.transpose) transposed_ = part(at.transposed);
}

void RowSink::put(const std::uint8_t* line) noexcept {
  if (count_++ % lines_a_measurement != first_measured) return take(line);
  const auto start = Clock::now();
  take(line);
  spent_ += lines_a_measurement * (Clock::now() - start);
}

void RowSink::put_missing(std::uint8_t* spare) noexcept {
  const auto height = placement_.source.height;
  if (count_ == height) return;
  // In the format of the row: the decoder's may be too narrow for its `fill`.
  auto* const line = converted_ != nullptr ? converted_ : spare;
  fill_missing(line, placement_.format, placement_.source.width, placement_.fill);
  while (count_ < height) {
    ++count_;
    add_line(line);
  }
}

void RowSink::copy(std::span<std::uint8_t* const> lines, std::size_t skipped_bytes) noexcept {
  const std::size_t bytes = placement_.patch_width() * pixel();
  for (const auto* line : lines) std::memcpy(start_of(count_++), line + skipped_bytes, bytes);
}

void RowSink::take(const std::uint8_t* line) noexcept {
  if (converted_ != nullptr) {
    convert_pixels(line, placement_.native, converted_, placement_.format, placement_.source.width);
    line = converted_;
  }
  add_line(line);
}

void RowSink::add_line(const std::uint8_t* line) noexcept {
  if (!placement_.resamples()) return put(count_ - 1, line, placement_.orientation.mirror_x);
  resampler_.feed(line);
  while (resampler_.ready()) {
    const std::uint32_t patch_row = resampler_.next_row();
    if (transposed_ == nullptr) {
      resampler_.make_row(start_of(patch_row));
    } else {
      resampler_.make_row(transposed_);
      put(patch_row, transposed_, false);
    }
  }
}

void RowSink::put(std::uint32_t patch_row, const std::uint8_t* pixels, bool mirror) noexcept {
  const std::uint32_t width = placement_.patch_width();
  std::uint8_t* const start = start_of(patch_row);
  const std::size_t step = pixel() * (placement_.orientation.transpose ? placement_.out.width : 1);
  if (!mirror && !placement_.orientation.transpose) {
    std::memcpy(start, pixels, width * pixel());
    return;
  }
  for (std::uint32_t i = 0; i < width; ++i)
    std::memcpy(start + i * step, pixels + (mirror ? width - 1 - i : i) * pixel(), pixel());
}

void fill_around(const Placement& placement, std::uint8_t* row) {
  const auto& target = placement.target;
  const auto& out = placement.out;
  const std::size_t pixel = pixel_bytes(placement.format);
  const std::size_t stride = out.width * pixel;
  const std::size_t left = target.x * pixel, right = (std::size_t{target.x} + target.width) * pixel;
  const std::size_t bottom = std::size_t{target.y} + target.height;
  const auto fill = [&](std::size_t begin, std::size_t end) {
    if (begin < end) fill_pixels({row + begin, end - begin}, placement.format, placement.fill);
  };
  fill(0, target.y * stride);
  for (std::size_t y = target.y; y < bottom && target.width < out.width; ++y) {
    fill(y * stride, y * stride + left);
    fill(y * stride + right, (y + 1) * stride);
  }
  fill(bottom * stride, out.height * stride);
}

}  // namespace weir::codec
