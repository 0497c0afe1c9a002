#pragma once

#include <span>

#include "base/defect.hpp"
#include "codec/decoder.hpp"

namespace weir::codec {

/// Format by the first bytes alone, header, limits: everything that is refused before memory is
/// asked for.
Result<ImageInfo> probe_image(std::span<const std::byte> encoded, const DecoderOptions& options);

}  // namespace weir::codec
