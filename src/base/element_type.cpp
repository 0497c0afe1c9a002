#include "weir/image.hpp"

#include "base/terms.hpp"
#include "base/text.hpp"
#include "weir/rows.hpp"

namespace weir {

std::string_view to_string(ElementType type) noexcept {
  return name_of(type, {"uint8", "float16", "bfloat16", "float32", "float64", "int64"});
}

std::string_view to_string(PixelFormat format) noexcept {
  return name_of(format,
                 {"rgb8", "bgr8", "rgba8", "grey8", "grey16", "rgb16", "stored8", "stored16"});
}

void check_values(PixelFormat format, std::size_t bytes, const void* data) {
  const std::size_t wanted = value_bytes(format);
  if (bytes != wanted)
    refuse(Stage::lease, "pixels of ", to_string(format), " have values of ", 8 * wanted,
           " bits, and values of ", 8 * bytes, " bits were requested");
  if (reinterpret_cast<std::uintptr_t>(data) % bytes != 0)
    refuse(Stage::lease, "the first byte of the pixels of ", to_string(format),
           " is not aligned to ", bytes, " bytes; copy them");
}

std::string_view to_string(RowStatus status) noexcept {
  return name_of(status, {"ok", "damaged", "replaced", "blank", "padding"});
}

std::string_view to_string(PlaneStatus status) noexcept {
  return name_of(status, {"ok", "damaged", "absent", "broken"});
}

}  // namespace weir
