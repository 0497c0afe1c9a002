#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "weir/image.hpp"

namespace weir::test {

/// A file that a manifest of the test data has a verdict on.
struct Listed {
  std::string name;            ///< as the manifest has it
  std::filesystem::path path;  ///< where it is
  std::string magic, cls, expect, alternative, lenient, rgb_sha256_32;
  Shape stored{0, 0, 3};  ///< 0 where the manifest has no size
  std::optional<int> orientation{};

  /// weir reads it without a foreign codec.
  bool own() const { return magic == "jpeg" || magic == "png" || magic == "webp"; }
};

/// Every image of the folder `odd`; empty where there are no test data, which a warning says.
std::vector<Listed> odd_images();
/// Every image of the folder `hostile`, likewise. Magic and class are empty.
std::vector<Listed> hostile_images();

}  // namespace weir::test
