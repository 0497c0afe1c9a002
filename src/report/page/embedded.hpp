#pragma once

#include <span>
#include <string_view>

namespace weir::report {

// The page (page.html, page.css, the scripts and Chart.js) in two parts: before the data and after
// it. Each part is a list of chunks.
extern const std::span<const std::string_view> page_before, page_after;

}  // namespace weir::report
