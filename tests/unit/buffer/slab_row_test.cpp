#include "buffer/slab_row.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "buffer/slab_pool.hpp"
#include "support/catch.hpp"

using namespace weir;

namespace {

constexpr std::uint8_t untouched = 0xee;
constexpr std::size_t note_bytes = 6;
using Pixels = std::vector<std::uint8_t>;

buffer::RowForm form_with_planes() {
  return {.images = {{.fill = {9, 8, 7}},
                     {.pixels = PixelFormat::stored8, .fill = {5}, .scale = {1, 2}},
                     {.pixels = PixelFormat::grey16, .fill = {0x102}, .scale = {2, 1}}},
          .annotation_bytes = note_bytes};
}

/// A slab of three rows, of which a test writes the second.
class ThreeRows {
 public:
  explicit ThreeRows(Sizes mode, const buffer::RowForm& form = form_with_planes()) {
    buffer::BatchLayout batch;
    batch.indices = {7, 3, 5};
    batch.extents = {{2, 4}, {4, 3}, {3, 2}};
    buffer::ImageSums sums;
    for (const auto extent : batch.extents) sums.add(form, extent);
    batch.layout = mode == Sizes::fixed ? buffer::SlabLayout::fixed(form, {4, 3}, 3, 64)
                                        : buffer::SlabLayout::of(form, mode, sums, 1, 3, 64);
    const auto bytes = batch.layout.bytes;
    book_ = std::make_shared<books::Book>(std::make_shared<books::Ledger>(bytes),
                                          books::ShareLimits{0, 0, bytes, UINT64_MAX, 1, 3});
    pool_ = std::make_unique<buffer::SlabPool>(book_, batch.layout, nullptr);
    slab_ = pool_->make(bytes);
    REQUIRE(slab_);
    slab_->rows = 3;
    std::memset(slab_->pixels(0, 1).data(), untouched, static_cast<std::size_t>(bytes));
    if (mode != Sizes::fixed) pool_->lay_out(*slab_, batch);
  }
  buffer::SlabRow row() const { return {*slab_, 1}; }
  /// Whether the first and the last row have nothing new.
  bool others_untouched() const {
    const auto same = [](const auto& bytes) {
      return std::ranges::all_of(
          bytes, [](auto byte) { return static_cast<std::uint8_t>(byte) == untouched; });
    };
    bool good = true;
    for (const std::uint32_t row : {0u, 2u}) {
      good = good && same(slab_->annotations(row, 1)) &&
             same(std::as_bytes(slab_->labels().subspan(row, 1))) &&
             same(std::as_bytes(slab_->statuses().subspan(row, 1)));
      for (std::size_t i = 0; i < slab_->layout().form.images.size(); ++i)
        good = good && same(slab_->pixels(row, 1, i)) &&
               (i == 0 || same(std::as_bytes(slab_->plane_statuses(i).subspan(row, 1))));
    }
    return good;
  }

 private:
  std::shared_ptr<books::Book> book_;
  std::unique_ptr<buffer::SlabPool> pool_;
  buffer::Slab* slab_ = nullptr;
};

Pixels lines_of(const MutableImageView& image) {
  Pixels lines;
  for (std::size_t y = 0; y < image.shape.height; ++y) {
    const auto* const line = image.data + y * image.row_stride;
    lines.insert(lines.end(), line, line + image.line_bytes());
  }
  return lines;
}

/// Whether all bytes of a row beside the lines of its image are `pixel`, again and again.
bool fills(const Pixels& pixel, std::span<const std::uint8_t> row, const MutableImageView& image) {
  for (std::size_t at = 0; at < row.size(); ++at) {
    const bool shown = image.row_stride > 0 && at % image.row_stride < image.line_bytes() &&
                       at / image.row_stride < image.shape.height;
    if (!shown && row[at] != pixel[at % pixel.size()]) return false;
  }
  return true;
}
bool fills(const Pixels& pixel, std::span<const std::uint8_t> row) {
  return !row.empty() && fills(pixel, row, {});
}

/// The bytes of one pixel of fill: image, mask, depth.
const Pixels image_fill{9, 8, 7}, mask_fill{5}, depth_fill{2, 1};

std::string note_of(const buffer::SlabRow& row) {
  const auto bytes = row.annotation().bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
/// Whether the room behind the annotation is 0.
bool zeros_follow(const buffer::SlabRow& row) {
  const auto bytes = row.annotation().bytes();
  return std::all_of(bytes.data() + bytes.size(), bytes.data() + row.annotation().room(),
                     [](std::byte byte) { return byte == std::byte{0}; });
}

Pixels counted(std::uint64_t bytes, std::uint8_t from) {
  Pixels all(static_cast<std::size_t>(bytes));
  std::iota(all.begin(), all.end(), from);
  return all;
}

}  // namespace

TEST_CASE("a kept sample becomes a row of any size mode", "[buffer][planes]") {
  for (const auto mode : {Sizes::fixed, Sizes::padded, Sizes::ragged}) {
    CAPTURE(mode);
    const ThreeRows rows(mode);
    const auto row = rows.row();
    const ImageSize size = mode == Sizes::fixed ? ImageSize{4, 3} : ImageSize{3, 2};
    const auto image = counted(size.height * size.width * 3, 20),
               mask = counted(scaled_by(size, {1, 2}).height * scaled_by(size, {1, 2}).width, 60),
               depth = counted(2 * size.height * 2 * size.width * 2, 90);
    buffer::KeptSample kept{.data = {.bytes = std::as_bytes(std::span(image)),
                                     .label = 11,
                                     .annotation = std::as_bytes(std::span("note").first(4))},
                            .size = size};
    REQUIRE(kept.data.planes.add(std::as_bytes(std::span(mask))));
    REQUIRE(kept.data.planes.add(std::as_bytes(std::span(depth))));
    kept.plane_statuses[1] = PlaneStatus::damaged;
    kept.window.source = {1, 2, 3, 4};
    row.copy(kept);
    CHECK(row.image().shape == size);
    CHECK(lines_of(row.image()) == image);
    CHECK(fills(image_fill, row.pixels(), row.image()));
    CHECK(lines_of(row.image(1)) == mask);
    CHECK(fills(mask_fill, row.pixels(1), row.image(1)));
    CHECK(lines_of(row.image(2)) == depth);
    CHECK(fills(depth_fill, row.pixels(2), row.image(2)));
    CHECK(row.plane_status(1) == PlaneStatus::ok);
    CHECK(row.plane_status(2) == PlaneStatus::damaged);
    CHECK(row.label() == 11);
    CHECK(row.window().source == Rect{1, 2, 3, 4});
    CHECK(note_of(row) == "note");
    CHECK(zeros_follow(row));
    CHECK(row.image_bytes() == image.size() + mask.size() + depth.size());
    CHECK(rows.others_untouched());
  }
}

TEST_CASE("a blank row and a padding row are fill", "[buffer][planes]") {
  for (const auto mode : {Sizes::fixed, Sizes::padded, Sizes::ragged}) {
    for (const bool padding : {false, true}) {
      CAPTURE(mode, padding);
      const ThreeRows rows(mode);
      const auto row = rows.row();
      const auto index = mode == Sizes::fixed ? 0xeeeeeeeeeeeeeeee : row.planned_index();
      if (padding)
        row.pad();
      else
        row.blank();
      CHECK(row.image().shape == ImageSize{4, 3});  // all of its room
      CHECK(fills(image_fill, row.pixels()));
      CHECK(fills(mask_fill, row.pixels(1)));
      CHECK(fills(depth_fill, row.pixels(2)));
      CHECK(row.plane_status(2) == PlaneStatus::absent);
      CHECK(row.window() == Window{});
      CHECK(row.label() == -1);
      CHECK(note_of(row).empty());
      CHECK(zeros_follow(row));
      CHECK(row.planned_index() == (padding ? UINT64_MAX : index));
      CHECK(rows.others_untouched());
    }
  }
  const ThreeRows samples(Sizes::ragged,
                          {.images = {{.pixels = PixelFormat::stored8}}, .encoded = true});
  samples.row().blank();
  CHECK(samples.row().image_bytes() == 0);
  CHECK(fills({0}, samples.row().pixels()));
}

TEST_CASE("behind a smaller ragged image its room is cleared", "[buffer][planes]") {
  for (const auto mode : {Sizes::fixed, Sizes::padded, Sizes::ragged}) {
    CAPTURE(mode);
    const ThreeRows rows(mode);
    const auto row = rows.row();
    if (row.sizes_differ()) row.resize({3, 2});
    const auto image = lines_of(row.image()), mask = lines_of(row.image(1));
    row.clear_rest();
    CHECK(lines_of(row.image()) == image);
    CHECK(lines_of(row.image(1)) == mask);
    const bool ragged = mode == Sizes::ragged;
    CHECK(fills(ragged ? image_fill : Pixels{untouched}, row.pixels(), row.image()));
    CHECK(fills(ragged ? mask_fill : Pixels{untouched}, row.pixels(1), row.image(1)));
    CHECK(fills(ragged ? depth_fill : Pixels{untouched}, row.pixels(2), row.image(2)));
    CHECK(rows.others_untouched());
  }
}

TEST_CASE("zeros replace what an annotation no longer has", "[buffer]") {
  const ThreeRows rows(Sizes::fixed);
  const auto row = rows.row();
  const auto annotate = [&](std::string_view text) {
    row.annotate(std::as_bytes(std::span(text)));
    CHECK(note_of(row) == text);
    CHECK(zeros_follow(row));
  };
  annotate("abcdef");
  annotate("xyz");
  annotate("");
  annotate("abcdef");
  row.annotate(row.annotation().bytes().subspan(2, 3));  // a part of its own room
  CHECK(note_of(row) == "cde");
  CHECK(zeros_follow(row));
  CHECK(rows.others_untouched());
  const ThreeRows without(Sizes::fixed, {});
  without.row().annotate({});
  CHECK(without.row().annotation().room() == 0);
}
