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
#include "weir/report.hpp"
#include "weir/source.hpp"

namespace weir {

/// What a file holds, and what of it is not in a row of the pixel format that was asked for.
struct ProbedFile {
  /// "jpeg", "png", "webp", "pgm", "ppm", or "other" for one of Options::codecs. Empty: no file, or
  /// no header.
  std::string_view format{};
  std::uint32_t width = 0;   ///< pixels, as stored
  std::uint32_t height = 0;  ///< pixels, as stored
  /// Bits of a value or an index. Empty: what follows is not known.
  std::optional<std::uint8_t> bits{};
  bool colour = false;   ///< whether it has colours, and not only grey
  bool alpha = false;    ///< whether it has alpha; also the tRNS of a PNG
  bool palette = false;  ///< whether its values are indices of a palette
  /// JPEG: restart intervals in each row of blocks, at which the decode of a crop can begin. 0: none.
  std::uint32_t tiles = 0;
  /// "palette indices", "colours", "alpha", "low 8 bits", or none of them.
  std::vector<std::string_view> drops{};
};

/// "colour with alpha of 16 bits", or "unknown".
WEIR_API std::string pixels_text(const ProbedFile& file);

/// The file of one plane.
struct ProbedPlane : ProbedFile {
  PlaneStatus status = PlaneStatus::ok;  ///< as in a batch
};

/// The result for one sample: the properties of its image, or the fault that a loader would report.
struct ProbedImage : ProbedFile {
  std::uint64_t index = 0;  ///< index in the source
  std::string name{};       ///< Source::name without control characters
  /// None if a loader would deliver the sample; otherwise the file and the following fields are not
  /// set.
  std::optional<Fault> fault{};
  std::uint64_t encoded_bytes = 0;  ///< size of the encoded sample
  std::uint64_t scratch_bytes = 0;  ///< scratch bytes of its decode with these options
  /// Whether a loader would deliver it as `damaged` (FaultOptions::strict = false).
  bool damaged = false;
  std::vector<ProbedPlane> planes{};  ///< one for each of Options::planes
  std::vector<Fault> broken{};        ///< why optional planes are `broken`; see Fault::plane
};

/// How many files hold such pixels, and how many rows lack what of their file.
struct ProbedKinds {
  std::map<std::string, std::uint64_t> pixels;  ///< by pixels_text()
  std::map<std::string, std::uint64_t> drops;   ///< by ProbedFile::drops
};

/// A minimum and a maximum. Both are 0 if there is no value.
struct ProbedRange {
  std::uint64_t least = 0;  ///< minimum
  std::uint64_t most = 0;   ///< maximum
};

/// The result for a data set. Formats, ranges and scratch cover the valid samples.
struct ProbeReport {
  std::uint64_t samples = 0;                     ///< samples probed
  std::uint64_t sound = 0;                       ///< samples that a loader would deliver
  std::uint64_t damaged = 0;                     ///< those of them with status `damaged`
  std::map<std::string, std::uint64_t> formats;  ///< number of samples by ProbedFile::format
  std::uint64_t tiled = 0;                       ///< samples with ProbedFile::tiles
  ProbedKinds kinds;                             ///< of their images
  ProbedRange width;                             ///< pixels, as stored
  ProbedRange height;                            ///< pixels, as stored
  ProbedRange encoded_bytes;                     ///< bytes per sample
  ProbedImage worst_scratch;                     ///< the first sample with the largest scratch
  std::vector<Fault> faults;                     ///< faults of the other samples, by index
  std::vector<PlaneStats> planes;  ///< of valid samples, one for each of Options::planes; no times
  std::vector<ProbedKinds>
      plane_kinds;            ///< of the files of valid samples, for each of these planes
  std::vector<Fault> broken;  ///< why optional planes of valid samples are broken, by index
};

/// Options of probe().
struct ProbeOptions {
  /// Called with each result by several threads, one call at a time, in no particular order. An
  /// exception ends the probe and leaves probe().
  std::function<void(const ProbedImage&)> on_image{};
  std::stop_token stop{};  ///< stops the probe; the report covers the samples probed so far
};

/// Tests whether a Loader with these options would deliver an image. It decodes the whole image,
/// even if a crop is set, and calls no transform. Limits, admission (`max_sample_bytes`) and faults
/// are those of a stream. Any thread. Throws Error{bad_options} or Error{budget_too_small} as
/// resolve() does, and Error{bad_options} if sizes.mode is not fixed.
WEIR_API ProbedImage probe(std::span<const std::byte> encoded, const Options& options = {});

/// Probes every sample of a source, with one thread per worker of a stream. The memory is not
/// charged to a ledger: each thread needs one sample, its scratch and one row. Throws as the other
/// form.
WEIR_API ProbeReport probe(const AnySource& source, const Options& options = {},
                           const ProbeOptions& how = {});

}  // namespace weir
