#pragma once

#include <string>

#include "report/json.hpp"
#include "shards/make_index.hpp"
#include "shards/tar_shards.hpp"

namespace weir::findings {

/// What `weir index` wrote.
struct IndexFindings {
  const shards::Index& index;
  const shards::Scan& scan;
  std::string out;  ///< the file
};

report::Json to_json(const IndexFindings& findings);
std::string to_text(const IndexFindings& findings);

}  // namespace weir::findings
