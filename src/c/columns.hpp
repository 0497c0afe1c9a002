#pragma once

#include <string_view>

#include "weir/batch.hpp"
#include "weir/weir.h"

namespace weir::c {

/// A column of all rows. An empty `plane` is the image. Throws misuse() for a name that there is not.
weir_array column_of(const Batch& batch, std::string_view plane, std::string_view name);
/// The same of one row.
weir_array column_of(const Batch& batch, std::string_view plane, std::string_view name,
                     std::uint32_t row);

}  // namespace weir::c
