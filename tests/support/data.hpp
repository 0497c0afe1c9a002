#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

namespace weir::test {

/// `part` of the folder that WEIR_TEST_DATA names. Empty if there is none; the test then calls
/// skip() and returns.
inline std::optional<std::filesystem::path> test_data(std::string_view part = "") {
  const char* root = std::getenv("WEIR_TEST_DATA");
  if (root == nullptr || *root == '\0') return std::nullopt;
  auto path = std::filesystem::path(root) / part;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path;
}

}  // namespace weir::test
