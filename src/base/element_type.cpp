#include "weir/element_type.hpp"

#include "base/terms.hpp"

namespace weir {

std::string_view to_string(ElementType type) noexcept {
  return name_of(type, {"uint8", "float16", "bfloat16", "float32", "float64", "int64"});
}

}  // namespace weir
