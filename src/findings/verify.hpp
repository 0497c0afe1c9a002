#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/laws.hpp"
#include "observe/second_delivery.hpp"
#include "report/figures.hpp"
#include "report/json.hpp"

namespace weir::findings {

/// The result of a comparison with the checksums of an index.
struct ChecksumFindings {
  std::uint64_t shards = 0, samples = 0;
  std::vector<std::string> wrong{};  ///< one line for each sample or shard that differs
};

/// What `weir verify` found.
struct VerifyFindings {
  report::Run run;
  observe::Laws laws;
  observe::SecondDelivery second;
  std::uint32_t world = 1;
  std::optional<ChecksumFindings> checksums;  ///< of tar shards
};

/// `data`: as typed.
report::Json to_json(const VerifyFindings& found, const std::string& data);
std::string to_text(const VerifyFindings& found);

}  // namespace weir::findings
