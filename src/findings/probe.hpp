#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/open_data.hpp"
#include "report/json.hpp"
#include "weir/probe.hpp"

namespace weir::findings {

/// What `weir probe` found.
struct ProbeFindings {
  ProbeReport report;
  std::optional<std::vector<ProbedImage>> each;  ///< ordered by index; empty without --each
  std::uint64_t all = 0;                         ///< files of the source
  bool interrupted = false;
  std::uint64_t skipped = 0;  ///< entries of a folder that are not samples
  data::Notes notes;          ///< the skipped entries that are named
};

report::Json to_json(const ProbeFindings& findings, const Options& options);
/// `list_bad`: the file of --list-bad, or empty.
std::string to_text(const ProbeFindings& findings, const Options& options,
                    const std::string& list_bad);

}  // namespace weir::findings
