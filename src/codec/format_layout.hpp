#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace weir::codec {

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

}  // namespace weir::codec
