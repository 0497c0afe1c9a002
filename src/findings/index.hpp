#pragma once

#include <string>

#include "report/json.hpp"
#include "shards/make_index.hpp"
#include "shards/tar_shards.hpp"

namespace weir::findings {

/// What `weir index` wrote to the file `out`.
report::Json to_json(const shards::Index& index, const shards::Scan& scan, const std::string& out);
std::string to_text(const shards::Index& index, const shards::Scan& scan, const std::string& out);

}  // namespace weir::findings
