#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace weir::test {

/// What harness.js found in a page, and what the browser said of it.
struct Opened {
  nlohmann::json found;  ///< null where the harness did not come to its end
  std::string console;   ///< lines of the page's console
};

/// `html` in headless Chromium, in a frame so many CSS pixels wide. Empty where no Chromium runs, with
/// a warning by which ctest calls the test skipped: WEIR_CHROMIUM names one, or it is looked for in PATH.
std::optional<Opened> open_page(const std::string& html, int width = 1400);

}  // namespace weir::test
