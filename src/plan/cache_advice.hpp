#pragma once

#include <vector>

#include "plan/search.hpp"

namespace weir {

/// What caches would bring at `setting`, which the search has looked at.
std::vector<CacheAdvice> cache_advice(const Window& window, Search& search, const Setting& setting);

}  // namespace weir
