#include "buffer/slab_row.hpp"

#include <algorithm>
#include <cstring>

#include "base/fill.hpp"

namespace weir::buffer {
namespace {

/// Copies the pixels of an image without gaps.
void copy_lines(std::span<const std::byte> from, const MutableImageView& to) noexcept {
  const auto line = to.line_bytes();
  const auto lines = to.row_stride == line ? 1u : to.shape.height;
  const auto bytes = lines == 0 ? 0 : from.size() / lines;
  for (std::size_t y = 0; y < lines && bytes > 0; ++y)
    std::memcpy(to.data + y * to.row_stride, from.data() + y * bytes, bytes);
}

}  // namespace

ImageSize SlabRow::canvas() const noexcept {
  return slab_->layout().mode == Sizes::ragged ? image().shape : slab_->layout().shape;
}

std::uint64_t SlabRow::image_bytes() const noexcept {
  const auto& layout = slab_->layout();
  return layout.form.image_bytes(sizes_differ() ? slab_->sizes()[row_] : layout.shape);
}

void SlabRow::describe(EncodedImage image, std::size_t bytes) const noexcept {
  resize({bytes > 0 ? 1u : 0u, static_cast<std::uint32_t>(bytes)});
  image.bytes = pixels().first(bytes);
  slab_->encoded()[row_] = image;
}

SampleAnnotation SlabRow::annotation() const noexcept {
  const auto lengths = slab_->annotation_lengths();
  return {slab_->annotations(row_, 1), lengths.empty() ? 0 : lengths[row_]};
}

void SlabRow::annotate(std::span<const std::byte> given) const noexcept {
  const auto room = slab_->annotations(row_, 1);
  if (room.empty()) return;
  // `given` may be a part of the room.
  if (!given.empty()) std::memmove(room.data(), given.data(), given.size());
  std::ranges::fill(room.subspan(given.size()), std::byte{0});
  slab_->annotation_lengths()[row_] = static_cast<std::uint32_t>(given.size());
}

void SlabRow::fill_from(std::size_t i, std::uint64_t begin) const noexcept {
  const auto& form = slab_->layout().form.images[i];
  fill_pixels(pixels(i).subspan(static_cast<std::size_t>(begin)), form.pixels, form.fill);
}

void SlabRow::clear_rest() const noexcept {
  if (slab_->layout().mode != Sizes::ragged) return;
  for (std::size_t i = 0; i < images(); ++i)
    fill_from(i, slab_->layout().form.images[i].bytes_in(slab_->sizes()[row_]));
}

void SlabRow::copy(const KeptSample& kept) const noexcept {
  if (sizes_differ()) resize(kept.size);
  for (std::size_t i = 0; i < images(); ++i) {
    const auto from = i == 0 ? kept.data.bytes : kept.data.planes[i - 1];
    if (pixels(i).size() > from.size()) fill(i);
    copy_lines(from, image(i));
    if (i > 0) plane_status(i) = kept.plane_statuses[i - 1];
  }
  annotate(kept.data.annotation);
  label() = kept.data.label;
  window() = kept.window;
}

void SlabRow::keep(KeptSample& kept, KeptImages& views) const noexcept {
  kept.size = image().shape;
  kept.window = window();
  kept.data = {.bytes = {}, .label = kept.data.label};
  kept.data.annotation = annotation().bytes();
  for (std::size_t i = 0; i < images(); ++i) {
    const ImageView& view = views.push_back(image(i));
    const auto bytes = std::as_bytes(std::span(view.data, static_cast<std::size_t>(view.bytes())));
    if (i == 0) {
      kept.data.bytes = bytes;
    } else {
      (void)kept.data.planes.add(bytes);
      kept.plane_statuses[i - 1] = plane_status(i);
    }
  }
}

void SlabRow::blank() const noexcept {
  if (encoded())
    describe({}, 0);
  else if (sizes_differ())
    resize(room());
  if (!encoded()) window() = {};
  for (std::size_t i = 0; i < images(); ++i) {
    fill(i);
    if (i > 0) plane_status(i) = PlaneStatus::absent;
  }
  annotate({});
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
