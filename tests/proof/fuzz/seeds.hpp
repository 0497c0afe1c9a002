#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir::fuzz {

/// Valid inputs of a target, computed here. Mutation starts from them.
std::vector<std::vector<std::uint8_t>> seeds(const std::string& target);

}  // namespace weir::fuzz
