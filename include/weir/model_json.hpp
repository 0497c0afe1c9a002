#pragma once

#include <string>
#include <string_view>

#include "weir/export.hpp"
#include "weir/model.hpp"

namespace weir {

/// The model that a MODEL.json describes; its form is that of the schema that is installed as
/// share/weir/model.schema.json. Whether the layers fit each other is for footprint() to find. Throws
/// Error{bad_options} naming the layer by index, type and name, and the field.
/// Pure.
WEIR_API Model parse_model(std::string_view json);

/// The same of a file of at most 16 MiB. Throws Error{source_failed} naming a file that cannot be
/// read.
WEIR_API Model read_model(const std::string& path);

}  // namespace weir
