#pragma once

#include <span>

#include "base/defect.hpp"
#include "codec/decoder.hpp"

namespace weir::codec {

/// Finds the format by its first bytes, parses the header and checks the limits, before memory is
/// requested.
Result<ImageInfo> probe_image(std::span<const std::byte> encoded, const DecoderOptions& options);

}  // namespace weir::codec
