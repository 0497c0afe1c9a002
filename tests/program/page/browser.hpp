#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace weir::test {

/// The results of harness.js in a page, and the browser's messages.
struct Opened {
  nlohmann::json found;  ///< null if the harness did not reach its end
  std::string console;   ///< lines of the page's console
};

/// Opens `html` in headless Chromium, in a frame of `width` CSS pixels, once in each process. Chromium is the program in
/// WEIR_CHROMIUM, or is searched in PATH. Empty without a working Chromium, with a warning that
/// makes ctest report the test as skipped.
std::optional<Opened> open_page(const std::string& html, int width = 1400);

}  // namespace weir::test
