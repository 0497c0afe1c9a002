#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "weir/codec.hpp"

namespace weir::codec {

struct Format;

/// Format-specific results of a header parser for its decoder, in one struct per format.
class FormatLayout {
 public:
  template <class Layout>
  void set(const Layout& layout) noexcept {
    static_assert(std::is_trivially_copyable_v<Layout> && sizeof(Layout) <= sizeof bytes_);
    std::memcpy(bytes_.data(), &layout, sizeof layout);
  }
  /// The stored struct. All zero if none was set.
  template <class Layout>
  Layout get() const noexcept {
    Layout layout;
    std::memcpy(&layout, bytes_.data(), sizeof layout);
    return layout;
  }

 private:
  std::array<std::byte, 24> bytes_{};
};

/// Properties from the header, which are sufficient to admit the decode.
struct ImageInfo {
  const Format* format = nullptr;
  std::uint32_t width = 0, height = 0;  ///< as stored
  std::uint8_t channels = 3;  ///< as stored: 1 grey, 2 grey + alpha, 3, 4 (RGBA, CMYK, YCCK)
  std::uint8_t bit_depth = 8;
  std::uint8_t orientation = 1;  ///< EXIF 1-8
  bool progressive = false;      ///< JPEG progressive, PNG interlaced
  FormatLayout layout{};
  bool damaged = false;  ///< lenient mode: the file is truncated, but some pixels may be decodable
};

}  // namespace weir::codec
