#pragma once

#include <vector>

#include "plan/search.hpp"

namespace weir {

/// What caches would bring at `setting`, which the search has looked at: those of `bytes`, or, where that
/// is 0, of the window's own size, as far as the budget has room.
std::vector<CacheAdvice> cache_advice(const Window& window, Search& search, const Setting& setting,
                                      std::uint64_t bytes);

}  // namespace weir
