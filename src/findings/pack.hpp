#pragma once

#include <string>

#include "pack/pack.hpp"
#include "report/json.hpp"

namespace weir::findings {

/// What `weir pack` made.
struct PackFindings {
  const std::string& data;  ///< as typed
  const std::string& out;   ///< folder of the shards or files
  const pack::Packed& packed;
};

report::Json to_json(const PackFindings& findings);
std::string to_text(const PackFindings& findings);

}  // namespace weir::findings
