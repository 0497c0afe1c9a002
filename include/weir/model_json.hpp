#pragma once

#include <string>
#include <string_view>

#include "weir/export.hpp"
#include "weir/model.hpp"

namespace weir {

/// Parses a MODEL.json. Its schema is installed as share/weir/model.schema.json. footprint() checks
/// whether the layers fit together. Throws Error{bad_options} with the field and the layer's index,
/// type and name. Pure.
WEIR_API Model parse_model(std::string_view json);

/// Parses a file of at most 16 MiB. Throws as parse_model(), and Error{source_failed} with the path
/// if the file cannot be read.
WEIR_API Model read_model(const std::string& path);

}  // namespace weir
