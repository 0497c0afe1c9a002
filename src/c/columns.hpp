#pragma once

#include <string_view>

#include "weir/batch.hpp"
#include "weir/weir.h"

namespace weir::c {

/// A column of all rows. An empty `plane` is the image. Throws misuse() for a name that there is not.
weir_array column_of(const Batch& batch, std::string_view plane, std::string_view column);
/// One row of the image or of a plane.
weir_array image_of(const Batch& batch, std::string_view plane, std::uint32_t row);
/// Bytes of any kind.
weir_array bytes_of(const void* data, std::size_t bytes) noexcept;

}  // namespace weir::c
