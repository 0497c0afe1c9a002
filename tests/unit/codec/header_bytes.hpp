#pragma once

#include <string>
#include <string_view>

#include "codec/format.hpp"
#include "support.hpp"

namespace weir::codec::test {

// Headers byte by byte, for files that no encoder writes.

inline Pixels operator+(Pixels left, const Pixels& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}
inline Pixels text(std::string_view letters) { return {letters.begin(), letters.end()}; }
inline Pixels be(std::uint64_t value, int bytes) {
  Pixels all;
  for (int i = bytes - 1; i >= 0; --i) all.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  return all;
}
inline Pixels le(std::uint64_t value, int bytes) {
  Pixels all;
  for (int i = 0; i < bytes; ++i) all.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  return all;
}
inline Bytes view(const Pixels& bytes) { return Bytes(std::as_bytes(std::span(bytes))); }

/// "ok", or kind and reason.
inline std::string verdict(const Result<ImageInfo>& result) {
  if (result) return "ok";
  return std::string(to_string(result.defect().kind)) + ": " + result.defect().reason;
}

}  // namespace weir::codec::test
