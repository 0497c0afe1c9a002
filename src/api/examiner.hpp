#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "api/sample_reader.hpp"
#include "buffer/block.hpp"
#include "codec/decoder.hpp"
#include "engine/plan_planes.hpp"
#include "weir/options.hpp"
#include "weir/probe.hpp"

namespace weir::api {

/// The size of an encoded sample in the index. Unknown if it is empty, too large for any row, or beyond
/// max_encoded_bytes, because some sources do not read it then.
inline ImageSize encoded_size(std::uint64_t bytes, const DecodeLimits& limits) noexcept {
  if (bytes == 0 || bytes > std::min<std::uint64_t>(limits.max_encoded_bytes, UINT32_MAX))
    return {};
  return {1, static_cast<std::uint32_t>(bytes)};
}

/// The sides of the rows that partners are resized to. A row may have one side of one image and one of
/// another: a bound for wide beside high images is loose.
struct RowBounds {
  ImageSize least{}, most{};
};

/// Examines the samples of a source outside a stream: what a stream would need for them, and whether
/// it would deliver them.
class Examiner {
 public:
  /// `options` must be valid. Reading charges `ledger`. The arguments must outlive this object.
  /// `rows`: if joins_other_sizes(). No `most` if no size is known.
  Examiner(const AnySource& source, const Options& options, MemoryLedger& ledger,
           std::uint64_t max_sample_bytes, const RowBounds& rows = {});

  /// Whether a sample is not always fitted in the same way.
  static bool fits_vary(const Options& options) noexcept;
  /// Whether a partner is resized to the size of another image's row.
  static bool joins_other_sizes(const Options& options) noexcept;

  /// What a stream needs for one sample, at most, whatever it draws.
  struct Need {
    std::uint64_t refused = 0;  ///< bytes that the ledger refused. Then nothing else is known
    std::uint64_t encoded = 0;  ///< of the block that a stream keeps the sample in
    /// `scratch`: 0 if it has no sound header. max_sample_bytes bounds both together.
    std::uint64_t scratch = 0, both = 0;
    /// With Options::partners: what the samples of a row use in turn. Then it is not part of the others,
    /// which add up.
    std::uint64_t shared = 0;
    ImageSize size{};  ///< of the row if sizes differ; unknown if the sample fails
  };
  /// From the headers of its images. Any thread. Throws std::bad_alloc.
  Need measure(std::uint64_t index) const;

  /// The result of weir::probe(). One thread at a time.
  ProbedImage probe(std::uint64_t index);

 private:
  /// 0: annotations are not read.
  std::uint64_t annotation_bytes() const noexcept {
    return options_.annotation_bytes.bytes().value_or(0);
  }
  /// Of all ways to fit the image: the most bytes of its images in scratch, of work memory, and of both.
  struct Scratch {
    std::uint64_t images = 0, work = 0, both = 0;
  };
  /// Whether an image is fitted to sizes that neither it nor the options decide. With OnFault::skip, it
  /// may replace one of any size.
  bool rows_vary() const noexcept {
    return rows_.most.height > 0 || options_.sizes.size.of || options_.window.choose ||
           (options_.sizes.mode != Sizes::fixed && options_.faults.policy == OnFault::skip);
  }
  /// The ways to fit an image of which at least one needs the most.
  std::vector<codec::FitSpec> extreme_fits(ImageSize upright) const;
  /// Empty if an image is bad.
  std::optional<Scratch> most_scratch(const Encoded& sample, const codec::ImageInfo& info) const;
  /// Why a stream would not deliver the sample.
  std::optional<Defect> judge(std::uint64_t index, ProbedImage& image);
  /// Decodes the whole image, because a crop may miss the damaged part.
  Result<RowStatus> decode(const engine::PlannedPlane& image, const codec::DecoderOptions& options);

  const AnySource& source_;
  const Options& options_;
  MemoryLedger& ledger_;
  const std::uint64_t max_sample_bytes_;
  const RowBounds rows_;
  const engine::PlaneRules rules_;
  codec::Decoder decoder_;
  books::Budget budget_;
  buffer::Block scratch_{budget_, Account::scratch};
  std::vector<std::uint8_t> row_;
  const std::atomic<bool> never_{false};
};

}  // namespace weir::api
