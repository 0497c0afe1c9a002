#pragma once

#include <string>

#include "pack/pack.hpp"
#include "report/json.hpp"

namespace weir::findings {

/// What `weir pack` made in the folder `out`, of `data` as typed.
report::Json to_json(const pack::Packed& packed, const std::string& out, const std::string& data);
std::string to_text(const pack::Packed& packed, const std::string& out);

}  // namespace weir::findings
