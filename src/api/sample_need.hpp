#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codec/decoder.hpp"
#include "engine/plan_planes.hpp"
#include "weir/options.hpp"

namespace weir::api {

/// Computes the scratch that a stream charges at most for one sample, from the headers of its
/// images, whatever the stream draws. With the bytes that reading it takes, max_sample_bytes bounds
/// it. Any thread.
class SampleNeed {
 public:
  /// `options` must be valid, and outlive this object. `offered`: the planes of the source.
  SampleNeed(const Options& options, const std::vector<std::string>& offered);

  std::span<const engine::PlaneRule> planes() const noexcept { return planes_; }
  /// `info`: of the first image. Empty if another image is bad.
  std::optional<std::uint64_t> scratch_of(const Encoded& sample,
                                          const codec::ImageInfo& info) const;

 private:
  const Options& options_;
  codec::DecoderOptions decoder_;
  std::vector<engine::PlaneRule> planes_;
};

}  // namespace weir::api
