#pragma once

#include <cstdint>

#include "codec/decoder.hpp"
#include "weir/options.hpp"

namespace weir::api {

/// Computes what a stream charges at most for one sample, from the headers of its images, whatever
/// the stream draws: the bytes that max_sample_bytes bounds. Any thread.
class SampleNeed {
 public:
  /// `options` must be valid, and outlive this object.
  explicit SampleNeed(const Options& options);

  /// `info`: of the first image. `charged`: bytes that reading the sample took. 0 if another image
  /// is bad.
  std::uint64_t of(const Encoded& sample, const codec::ImageInfo& info,
                   std::uint64_t charged) const;

 private:
  /// The largest of all plans for the row.
  codec::DecodePlan largest(const codec::ImageInfo& info) const;

  const Options& options_;
  codec::Decoder decoder_;
};

}  // namespace weir::api
