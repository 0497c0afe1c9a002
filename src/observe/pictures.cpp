#include "observe/pictures.hpp"

#include <algorithm>
#include <cstring>

#include "base/sanitize.hpp"

namespace weir::observe {
namespace {

constexpr std::uint32_t most_rows = 4, most_side = 160;
constexpr std::uint64_t most_bytes = 144 << 10;  // 192 KiB in the page

ImageSize reduced(ImageSize size, std::uint32_t side) {
  const std::uint64_t longer = std::max({size.height, size.width, side});
  const auto scaled = [&](std::uint64_t pixels) {
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(pixels * side / longer, 1));
  };
  return {scaled(size.height), scaled(size.width)};
}

/// The nearest pixels. The consumer waits for it, so nothing is converted here.
std::vector<std::uint8_t> copy_of(const ImageView& image, ImageSize size) {
  const auto pixel = pixel_bytes(image.format);
  std::vector<std::size_t> columns;
  for (std::size_t x = 0; x < size.width; ++x)
    columns.push_back(x * image.shape.width / size.width * pixel);
  std::vector<std::uint8_t> bytes(image_bytes(size, image.format));
  auto* to = bytes.data();
  for (std::size_t y = 0; y < size.height; ++y) {
    const auto* const line = image.data + y * image.shape.height / size.height * image.row_stride;
    for (const auto column : columns) {
      std::memcpy(to, line + column, pixel);
      to += pixel;
    }
  }
  return bytes;
}

}  // namespace

std::vector<report::PicturedRow> pictures_of(const Batch& batch, const AnySource& source,
                                             const Options& options) {
  std::vector<report::PicturedRow> rows;
  if (!batch.encoded().empty()) return rows;
  std::vector<ImageView> images;  // of all pictures, in their order
  const auto add = [&](std::string name, std::string_view status, const ImageView& image,
                       const Fill& fill) {
    if (image.bytes() == 0) return;
    rows.back().pictures.push_back({.name = std::move(name),
                                    .status = std::string(status),
                                    .pixels = image.format,
                                    .shape = image.shape,
                                    .fill = fill[0]});
    images.push_back(image);
  };
  for (std::uint32_t i = 0; i < std::min(batch.size(), most_rows); ++i) {
    const auto status = batch.statuses()[i];
    if (status == RowStatus::padding) continue;
    rows.push_back({.name = sanitize(source.name(batch.indices()[i])), .label = batch.labels()[i]});
    add("image", to_string(status), batch.image(i), options.fill);
    for (const auto& plane : options.planes) {
      const auto column = batch.plane(plane.name);
      add(plane.name, to_string(column.statuses()[i]), column.image(i), plane.fill);
    }
  }
  std::erase_if(rows, [](const auto& row) { return row.pictures.empty(); });
  const auto bytes_at = [&](std::uint32_t side) {
    std::uint64_t bytes = 0;
    for (const auto& image : images) bytes += image_bytes(reduced(image.shape, side), image.format);
    return bytes;
  };
  auto side = most_side;
  while (bytes_at(side) > most_bytes) --side;
  auto image = images.begin();
  for (auto& row : rows)
    for (auto& picture : row.pictures) {
      picture.size = reduced(picture.shape, side);
      picture.bytes = copy_of(*image++, picture.size);
    }
  return rows;
}

}  // namespace weir::observe
