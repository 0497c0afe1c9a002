#pragma once

#include <optional>

#include "browser.hpp"
#include "program.hpp"
#include "report/page/page.hpp"
#include "support/catch.hpp"

namespace weir::test {

inline nlohmann::ordered_json read_example(const char* name) {
  return nlohmann::ordered_json::parse(read_file(std::filesystem::path(WEIR_PAGE_TESTS) / name));
}

/// A sweep with a figure for all that a report can hold, and a file with an evil name.
inline nlohmann::json example_sweep() { return read_example("example-sweep.json"); }

/// The page of `report`, opened. Empty, with a warning, where there is no Chromium.
inline std::optional<Opened> open(const nlohmann::json& report, int width = 1400) {
  auto opened = open_page(report::page(report), width);
  if (!opened) WARN("no chromium that runs: the page was not opened");
  return opened;
}

}  // namespace weir::test
