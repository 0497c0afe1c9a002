#pragma once

#include <span>
#include <string_view>

namespace weir::report {

// The page that page.html, page.css, the scripts and Chart.js make, in pieces that belong together:
// all of it before the data and all of it after.
extern const std::span<const std::string_view> page_before, page_after;

}  // namespace weir::report
