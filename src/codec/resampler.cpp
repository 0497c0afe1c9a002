#include "codec/resampler.hpp"

#include "base/checked.hpp"
#include "codec/arena.hpp"

namespace weir::codec {
namespace {

struct Layout {
  std::uint64_t offsets, column_weights, line_weights, bases, picks, wide_weights, lines,
      line_bytes;
  std::uint64_t bytes;
};

Layout layout_of(const Resize& resize, const Kernel& kernel) {
  const std::uint64_t columns = resize.out_width, values = columns * kernel.channels;
  // Whether there are groups or not, so that a smaller part of an image never needs more.
  const std::uint64_t groups =
      kernel.by_groups != nullptr ? (values + group_values - 1) / group_values : 0;
  Layout at{};
  Packing block;
  at.offsets = block.add(columns * sizeof(std::uint32_t));
  at.column_weights = block.add(columns * kernel.column_taps(resize) * kernel.weight_bytes);
  at.line_weights = block.add(kernel.line_taps(resize) * kernel.weight_bytes);
  at.bases = block.add(groups * sizeof(std::uint32_t));
  at.picks = block.add(groups * group_values * 4);
  at.wide_weights = block.add(groups * group_values * 4);
  at.line_bytes = round_up(values + overrun, 32) * kernel.sum_bytes;
  at.lines = block.add(kernel.line_taps(resize) * at.line_bytes);
  at.bytes = block.bytes;
  return at;
}

}  // namespace

std::uint64_t Resampler::memory_bytes(const Resize& resize) noexcept {
  return layout_of(resize, kernel_of(resize.format, resize.filter)).bytes;
}

Resampler::Resampler(const Resize& resize, std::byte* memory) noexcept
    : resize_(resize), kernel_(&kernel_of(resize.format, resize.filter)) {
  const Layout at = layout_of(resize, *kernel_);
  columns_ = {.count = resize.out_width,
              .taps = kernel_->column_taps(resize),
              .offsets = reinterpret_cast<std::uint32_t*>(memory + at.offsets),
              .weights = memory + at.column_weights};
  if (kernel_->by_groups != nullptr && kernel_->by_groups(resize)) {
    columns_.bases = reinterpret_cast<std::uint32_t*>(memory + at.bases);
    columns_.picks = reinterpret_cast<std::uint8_t*>(memory + at.picks);
    columns_.wide_weights = reinterpret_cast<std::int16_t*>(memory + at.wide_weights);
  }
  kernel_->aim_columns(resize, columns_);
  weights_ = memory + at.line_weights;
  lines_ = {.ring = memory + at.lines,
            .stride = static_cast<std::size_t>(at.line_bytes),
            .count = kernel_->line_taps(resize)};
  kernel_->aim_lines(resize_, row_, lines_, weights_);
}

void Resampler::feed(const std::uint8_t* line) noexcept {
  if (fed_ >= lines_.first) kernel_->resample(columns_, line, lines_.at(fed_));
  ++fed_;
}

void Resampler::make_row(std::uint8_t* out) noexcept {
  kernel_->combine(lines_, weights_, out, std::size_t{resize_.out_width} * kernel_->channels);
  if (++row_ < resize_.out_height) kernel_->aim_lines(resize_, row_, lines_, weights_);
}

}  // namespace weir::codec
