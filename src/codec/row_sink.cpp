#include "codec/row_sink.hpp"

#include <cstring>

#include "base/clock.hpp"

namespace weir::codec {
namespace {

constexpr std::uint32_t lines_a_measurement = 16;

Resize resize_of(const Placement& p) noexcept {
  return {p.source.width,         p.source.height, p.patch_width(), p.patch_height(),
          p.orientation.mirror_x, p.part,          p.filter,        p.format};
}

}  // namespace

std::uint64_t RowSink::memory_bytes(const Placement& placement) noexcept {
  if (!placement.resamples()) return 0;
  const std::uint64_t transposed =
      placement.orientation.transpose
          ? std::uint64_t{placement.patch_width()} * pixel_bytes(placement.format)
          : 0;
  return Resampler::memory_bytes(resize_of(placement)) + transposed;
}

RowSink::RowSink(const Placement& placement, std::byte* memory, std::uint8_t* row) noexcept
    : placement_(placement), row_(row) {
  if (!placement.resamples()) return;
  const Resize resize = resize_of(placement);
  resampler_ = Resampler(resize, memory);
  if (placement.orientation.transpose)
    transposed_ = reinterpret_cast<std::uint8_t*>(memory + Resampler::memory_bytes(resize));
}

void RowSink::put(const std::uint8_t* line) noexcept {
  if (count_++ % lines_a_measurement != 0) return take(line);
  const auto start = Clock::now();
  take(line);
  spent_ += lines_a_measurement * (Clock::now() - start);
}

void RowSink::take(const std::uint8_t* line) noexcept {
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

std::uint8_t* RowSink::start_of(std::uint32_t patch_row) const noexcept {
  const auto& [source, orientation, target, out, filter, inner, format] = placement_;
  const std::uint32_t line =
      orientation.mirror_y ? placement_.patch_height() - 1 - patch_row : patch_row;
  const std::size_t x = target.x + (orientation.transpose ? line : 0),
                    y = target.y + (orientation.transpose ? 0 : line);
  return row_ + (y * out.width + x) * pixel();
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

void zero_around(const Placement& placement, std::uint8_t* row) {
  const auto& target = placement.target;
  const auto& out = placement.out;
  const std::size_t pixel = pixel_bytes(placement.format);
  const std::size_t stride = out.width * pixel;
  const std::size_t left = target.x * pixel, right = (std::size_t{target.x} + target.width) * pixel;
  const std::size_t bottom = std::size_t{target.y} + target.height;
  std::memset(row, 0, target.y * stride);
  for (std::size_t y = target.y; y < bottom; ++y) {
    std::memset(row + y * stride, 0, left);
    std::memset(row + y * stride + right, 0, stride - right);
  }
  std::memset(row + bottom * stride, 0, (out.height - bottom) * stride);
}

}  // namespace weir::codec
