#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/image.hpp"

namespace weir::report {

/// A small copy of an image or of a plane of one row.
struct Picture {
  std::string name;                   ///< "image", or of the plane
  std::string status;                 ///< what it shows: "ok", "blank", "absent" and so on
  PixelFormat pixels{};               ///< of row and copy
  ImageSize shape{};                  ///< of the row
  std::uint16_t fill = 0;             ///< where the row shows nothing; of the first channel
  ImageSize size{};                   ///< of the copy
  std::vector<std::uint8_t> bytes{};  ///< of the copy, without gaps
};

/// One row of a batch.
struct PicturedRow {
  std::string name;  ///< of the sample
  std::int64_t label = 0;
  std::vector<Picture> pictures{};  ///< the image, then the planes
};

}  // namespace weir::report
