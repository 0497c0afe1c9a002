#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir::fuzz {

/// Sound inputs of a target, made on the spot: what mutation starts from.
std::vector<std::vector<std::uint8_t>> seeds(const std::string& target);

}  // namespace weir::fuzz
