#pragma once

#include <string>
#include <vector>

#include "plan/search.hpp"

namespace weir {

/// Advice in sentences: what bounds the run, whether depth helps, what to use, what to change first,
/// what a budget keeps away. `advice` has all but its words.
std::vector<std::string> words_of(const Window& window, const AdviceOptions& options,
                                  Search& search, const Advice& advice);

}  // namespace weir
