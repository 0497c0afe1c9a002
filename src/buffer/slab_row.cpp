#include "buffer/slab_row.hpp"

#include <algorithm>
#include <cstring>

namespace weir::buffer {

ImageSize SlabRow::canvas() const noexcept {
  return slab_->layout().mode == Sizes::ragged ? image().shape : slab_->layout().shape;
}

std::uint64_t SlabRow::bytes() const noexcept {
  const auto& layout = slab_->layout();
  return layout.form.row_bytes(sizes_differ() ? slab_->sizes()[row_] : layout.shape);
}

void SlabRow::describe(EncodedImage image, std::size_t bytes) const noexcept {
  resize({bytes > 0 ? 1u : 0u, static_cast<std::uint32_t>(bytes)});
  image.bytes = pixels().first(bytes);
  slab_->encoded()[row_] = image;
}

void SlabRow::fill_side(std::span<const std::byte> given) const noexcept {
  if (given.empty())
    std::ranges::fill(side(), std::byte{0});
  else
    std::ranges::copy(given, side().begin());
}

void SlabRow::clear_rest() const noexcept {
  if (slab_->layout().mode == Sizes::ragged)
    std::ranges::fill(pixels().subspan(static_cast<std::size_t>(
                          slab_->layout().form.image_bytes(slab_->sizes()[row_]))),
                      std::uint8_t{0});
}

void SlabRow::copy(const KeptSample& kept) const noexcept {
  if (sizes_differ()) resize(kept.size);
  if (pixels().size() > kept.data.bytes.size()) std::ranges::fill(pixels(), std::uint8_t{0});
  const auto to = image();
  const auto line = to.line_bytes();
  const auto lines = to.row_stride == line ? 1u : kept.size.height;
  const auto bytes = kept.data.bytes.size() / lines;
  for (std::size_t y = 0; y < lines; ++y)
    std::memcpy(to.data + y * to.row_stride, kept.data.bytes.data() + y * bytes, bytes);
  std::ranges::copy(kept.data.annotation, side().begin());
  label() = kept.data.label;
}

void SlabRow::blank() const noexcept {
  if (encoded())
    describe({}, 0);
  else if (sizes_differ())
    resize(room());
  std::ranges::fill(pixels(), std::uint8_t{0});
  std::ranges::fill(side(), std::byte{0});
  label() = -1;
}

void SlabRow::pad() const noexcept {
  blank();
  end(UINT64_MAX, RowStatus::padding);
}

void SlabRow::end(std::uint64_t index, RowStatus status) const noexcept {
  slab_->indices()[row_] = index;
  slab_->statuses()[row_] = status;
}

}  // namespace weir::buffer
