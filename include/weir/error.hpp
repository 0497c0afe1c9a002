#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "weir/export.hpp"

namespace weir {

/// What went wrong with a call or a stream. A bad sample is not an error but a Fault.
enum class Errc {
  bad_options = 1,   ///< misuse or an impossible plan; the message names option, value and bound
  budget_too_small,  ///< the memory budget is under the floor; the message lists the floor's parts
  too_many_leases,   ///< next() while `max_leases` batches are out
  too_many_faults,   ///< a row failed 64 times, or the tolerance was exceeded
  sample_failed,     ///< OnFault::stop met a bad sample
  source_failed,     ///< the source as a whole is unusable (no such folder, unreadable manifest)
};

/// The stages that clocks, faults and traces name.
enum class Stage : std::uint8_t {
  read,     ///< Source::read
  wait,     ///< parked until a sample's bytes were granted
  decode,   ///< header and pixels
  fit,      ///< resampling, and the user's transform
  handoff,  ///< a batch lay in the queue
  lease,    ///< the consumer held it; also calls that are made with one
};
/// How many stages there are.
inline constexpr std::size_t stage_count = 6;

/// What was wrong with a sample.
enum class FaultKind : std::uint8_t {
  truncated,    ///< it ends too early
  corrupt,      ///< it is not what its format allows
  unsupported,  ///< sound, it may be, but nothing that is read here
  limit,        ///< it exceeds one of DecodeLimits
  io,           ///< it could not be read
  timeout,      ///< its source gave up waiting
  memory,       ///< it needs more than MemoryOptions::max_sample_bytes, or memory ran out
};
/// How many kinds there are.
inline constexpr std::size_t fault_kind_count = 7;

/// The enumerator's own name: "decode". Any thread.
WEIR_API std::string_view to_string(Stage stage) noexcept;
/// The enumerator's own name: "truncated". Any thread.
WEIR_API std::string_view to_string(FaultKind kind) noexcept;

/// The category of Errc, named "weir". Any thread.
WEIR_API const std::error_category& error_category() noexcept;
/// So that Errc is an error code to the standard library.
inline std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

/// Thrown for misuse, impossible plans and dead streams. code() == Errc::… tells them apart.
class WEIR_API Error : public std::system_error {
 public:
  /// `what`: a sentence, with option, value and bound where it is about one.
  Error(Errc code, Stage stage, const std::string& what)
      : std::system_error(make_error_code(code), what), stage_(stage) {}
  /// Where it happened.
  Stage stage() const noexcept { return stage_; }

 private:
  Stage stage_;
};

/// Thrown by a Source to say how a sample failed. Any other exception that leaves Source::read
/// counts as kind `io` with its what() as the reason.
class WEIR_API SampleError : public std::runtime_error {
 public:
  /// `reason` becomes Fault::reason.
  SampleError(FaultKind kind, const std::string& reason)
      : std::runtime_error(reason), kind_(kind) {}
  /// As it was thrown; becomes Fault::kind.
  FaultKind kind() const noexcept { return kind_; }

 private:
  FaultKind kind_;
};

/// One bad sample: data, recorded and counted. `reason` and `name` carry no control bytes.
struct Fault {
  std::uint64_t index = 0;              ///< of the source
  std::uint64_t epoch = 0;              ///< in which it was drawn, from 0
  std::string name;                     ///< Source::name of it
  FaultKind kind = FaultKind::io;       ///< what was wrong
  Stage stage = Stage::read;            ///< where it was found
  std::string reason;                   ///< in words
  std::optional<std::uint64_t> offset;  ///< byte offset in the encoded sample, where known
};

/// What becomes of a bad sample.
enum class OnFault : std::uint8_t {
  stop,   ///< the stream ends before its batch: Error{sample_failed}
  skip,   ///< a replacement fills the row: a pure function of seed, epoch, position and attempt
  blank,  ///< the row is zero and its status says so
};

}  // namespace weir

/// \cond
template <>
struct std::is_error_code_enum<weir::Errc> : std::true_type {};
/// \endcond
