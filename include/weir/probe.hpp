#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weir/error.hpp"
#include "weir/export.hpp"
#include "weir/options.hpp"
#include "weir/source.hpp"

namespace weir {

/// The verdict on one sample: what its image is, or why a loader would not deliver it.
struct ProbedImage {
  std::uint64_t index = 0;       ///< of the source
  std::string name{};            ///< Source::name; carries no control bytes
  std::optional<Fault> fault{};  ///< none: a loader delivers it; else what follows is not set
  std::string_view format{};  ///< "jpeg", "png", "webp"; "other": one of Options::codecs reads it
  std::uint32_t width = 0;    ///< pixels, as stored
  std::uint32_t height = 0;   ///< pixels, as stored
  std::uint64_t encoded_bytes = 0;  ///< of the sample
  std::uint64_t scratch_bytes = 0;  ///< that its decode takes with these options
  bool damaged = false;             ///< delivered and marked so (FaultOptions::strict = false)
};

/// The least and the most of something; both 0 where there was nothing.
struct ProbedRange {
  std::uint64_t least = 0;  ///< at the least
  std::uint64_t most = 0;   ///< at the most
};

/// The verdict on a data set. Formats, ranges and scratch are of the sound samples.
struct ProbeReport {
  std::uint64_t samples = 0;                     ///< that were looked at
  std::uint64_t sound = 0;                       ///< of those, what a loader delivers
  std::uint64_t damaged = 0;                     ///< of the sound ones
  std::map<std::string, std::uint64_t> formats;  ///< samples by ProbedImage::format
  ProbedRange width;                             ///< pixels, as stored
  ProbedRange height;                            ///< pixels, as stored
  ProbedRange encoded_bytes;                     ///< of one sample
  ProbedImage worst_scratch;                     ///< the first of those whose decode takes the most
  std::vector<Fault> faults;                     ///< of all the others, by index
};

/// How a data set is probed.
struct ProbeOptions {
  /// Called with each verdict: from several threads, one call at a time, in no order. What it throws
  /// ends the probe and leaves probe().
  std::function<void(const ProbedImage&)> on_image{};
  std::stop_token stop{};  ///< no further sample is looked at; the report is of those that were
};

/// Whether a Loader with these options would deliver an image, which it decodes as a whole, crop or no
/// crop: limits, admission (`max_sample_bytes`) and faults are those of a stream, but no transform is
/// called. Any thread. Throws Error{bad_options} or Error{budget_too_small} as resolve() does, and where
/// sizes.mode is not fixed.
WEIR_API ProbedImage probe(std::span<const std::byte> encoded, const Options& options = {});

/// The same of every sample of a source, read on as many threads as a stream has workers. Memory is off
/// the books: for each thread one sample, its scratch and a row.
WEIR_API ProbeReport probe(const AnySource& source, const Options& options = {},
                           const ProbeOptions& how = {});

}  // namespace weir
