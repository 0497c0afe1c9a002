#include <cstdint>
#include <cstring>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "weir/convert.hpp"

namespace weir {
namespace {

template <class Value, class T>
void widen_line(const std::uint8_t* from, std::span<T> out, std::span<const T> table) {
  for (auto& to : out) {
    Value value;
    std::memcpy(&value, from, sizeof(value));
    from += sizeof(value);
    if (!table.empty() && value >= table.size()) {
      refuse(Stage::lease, "widen: a pixel has the value ", value, ", but the table has ",
             table.size(), " entries; it needs one for each value");
    }
    to = table.empty() ? T{value} : table[value];
  }
}

void check_size(const char* field, std::uint64_t size, std::uint64_t wanted) {
  if (size != wanted) refuse(Stage::lease, "widen: ", field, " is ", size, ", must be ", wanted);
}

template <class T>
void widen_values(const std::uint8_t* from, PixelFormat format, std::span<T> out,
                  std::span<const T> table) {
  if (value_bytes(format) == 2)
    widen_line<std::uint16_t>(from, out, table);
  else
    widen_line<std::uint8_t>(from, out, table);
}

template <class T>
void widen_block(const PixelBlock& block, std::span<T> out, std::span<const T> table) {
  check_size("PixelBlock::pixels.size()", block.pixels.size(),
             mul_sat(block.count, image_bytes(block.shape, block.format)));
  check_size("out.size()", out.size(), mul_sat(block.count, block.values()));
  widen_values(block.pixels.data(), block.format, out, table);
}

template <class T>
void widen_image(const ImageView& image, std::span<T> out, std::span<const T> table) {
  check_size("out.size()", out.size(), image.values());
  const auto values = std::size_t{image.shape.width} * channels_of(image.format);
  for (std::uint32_t y = 0; y < image.shape.height; ++y)
    widen_values(image.data + y * image.row_stride, image.format, out.subspan(y * values, values),
                 table);
}

}  // namespace

void widen(const PixelBlock& block, std::span<std::int32_t> out,
           std::span<const std::int32_t> table) {
  widen_block(block, out, table);
}
void widen(const PixelBlock& block, std::span<std::int64_t> out,
           std::span<const std::int64_t> table) {
  widen_block(block, out, table);
}
void widen(const ImageView& image, std::span<std::int32_t> out,
           std::span<const std::int32_t> table) {
  widen_image(image, out, table);
}
void widen(const ImageView& image, std::span<std::int64_t> out,
           std::span<const std::int64_t> table) {
  widen_image(image, out, table);
}

}  // namespace weir
