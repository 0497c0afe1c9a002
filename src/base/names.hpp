#pragma once

#include <cstddef>
#include <string_view>

namespace weir {

/// The name at an enumerator's place; "?" where there is none.
template <class Place, std::size_t count>
constexpr std::string_view name_of(Place place, const std::string_view (&names)[count]) noexcept {
  const auto at = static_cast<std::size_t>(place);
  return at < count ? names[at] : "?";
}

}  // namespace weir
