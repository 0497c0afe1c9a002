#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "unit/codec/encoders.hpp"

namespace weir::test {

/// Eight kinds of JPEG, 40 x 30.
struct JpegKind {
  const char* name;
  codec::test::Encoded encoded;
};
std::vector<JpegKind> jpeg_kinds();

/// Copies with one random bit of one byte flipped: three for each `step`-th byte.
std::vector<codec::test::Encoded> flipped(const codec::test::Encoded& encoded, std::size_t step,
                                          std::uint64_t seed);
/// `count` copies with one byte to one in a hundred replaced at random.
std::vector<codec::test::Encoded> mutated(const codec::test::Encoded& encoded, std::size_t count,
                                          std::uint64_t seed);

/// The differences between a loader with several workers and libjpeg alone on these 40 x 30 JPEGs,
/// in verdict or pixels, one in each line. Adds to `delivered` those that both accept.
std::string differences(const std::vector<codec::test::Encoded>& samples, std::size_t& delivered);

}  // namespace weir::test
