#pragma once

#include <cstdint>
#include <string_view>

#include "weir/export.hpp"

namespace weir {

/// The data type of one value.
enum class ElementType : std::uint8_t {
  u8,    ///< uint8
  f16,   ///< float16
  bf16,  ///< bfloat16
  f32,   ///< float32
  f64,   ///< float64
  i64,   ///< int64
};
/// Size of one value in bytes. Any thread.
constexpr std::uint64_t element_bytes(ElementType type) noexcept {
  switch (type) {
    case ElementType::u8: return 1;
    case ElementType::f16:
    case ElementType::bf16: return 2;
    case ElementType::f32: return 4;
    case ElementType::f64:
    case ElementType::i64: return 8;
  }
  return 0;
}
/// The name of the type, for example "float32". Any thread.
WEIR_API std::string_view to_string(ElementType type) noexcept;

}  // namespace weir
