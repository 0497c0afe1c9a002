#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "weir/image.hpp"

namespace weir::test {

/// A file of the test data with a verdict in a manifest.
struct Listed {
  std::string name;            ///< as in the manifest
  std::filesystem::path path;  ///< its location
  std::string magic, cls, expect, alternative, lenient, rgb_sha256_32;
  ImageSize stored{};  ///< 0 if the manifest has no size
  std::optional<int> orientation{};

  bool own_pnm = false;  ///< a binary PGM or PPM of 8 bits

  /// weir reads it without a foreign codec.
  bool own() const { return magic == "jpeg" || magic == "png" || magic == "webp" || own_pnm; }
};

/// Every image of the folder `odd`. Empty, with a warning, if there are no test data.
std::vector<Listed> odd_images();
/// Every image of the folder `hostile`, in the same way. Magic and class are empty.
std::vector<Listed> hostile_images();

}  // namespace weir::test
