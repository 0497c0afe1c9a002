#include "weir/element_type.hpp"

#include "base/terms.hpp"
#include "weir/image.hpp"

namespace weir {

std::string_view to_string(ElementType type) noexcept {
  return name_of(type, {"uint8", "float16", "bfloat16", "float32", "float64", "int64"});
}

std::string_view to_string(PixelFormat format) noexcept {
  return name_of(format,
                 {"rgb8", "bgr8", "rgba8", "grey8", "grey16", "rgb16", "stored8", "stored16"});
}

}  // namespace weir
