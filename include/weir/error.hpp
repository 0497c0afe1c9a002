#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "weir/export.hpp"

namespace weir {

/// Errors of calls and streams. A bad sample is not an error; it is a Fault.
enum class Errc {
  bad_options = 1,  ///< misuse or an impossible plan; the message states option, value and bound
  /// The memory budget is below the floor; the message lists the parts of the floor.
  budget_too_small,
  too_many_leases,  ///< next() was called while the consumer held `max_leases` batches
  too_many_faults,  ///< one row failed 64 times, or the tolerated number of faults was exceeded
  sample_failed,    ///< a sample failed under OnFault::stop
  /// The source is unusable, for example a missing folder or an unreadable manifest.
  source_failed,
  stopped,  ///< advise() or predict() was ended by its std::stop_token
  /// Requests::ask() was called while `max_outstanding` requests were not finished.
  too_many_requests,
};

/// The stages that statistics, faults and traces use.
enum class Stage : std::uint8_t {
  read,     ///< Source::read
  wait,     ///< a sample waits until the budget has room for its bytes
  decode,   ///< header and pixels
  fit,      ///< resampling and the user's transform
  handoff,  ///< a batch is ready in the queue
  lease,    ///< the consumer holds a batch; also errors of calls on a batch
  copy,     ///< a device reads a batch that the consumer has released
};
/// Number of stages.
inline constexpr std::size_t stage_count = 7;

/// What is wrong with a sample.
enum class FaultKind : std::uint8_t {
  truncated,    ///< the data ends too early
  corrupt,      ///< the data violates its format
  unsupported,  ///< valid or not, weir has no decoder for this kind of data
  limit,        ///< it exceeds one of DecodeLimits
  io,           ///< it could not be read
  timeout,      ///< the source reached its own time limit
  memory,       ///< it needs more than MemoryOptions::max_sample_bytes, or memory ran out
};
/// Number of kinds.
inline constexpr std::size_t fault_kind_count = 7;

/// The name of the enumerator, for example "decode". Any thread.
WEIR_API std::string_view to_string(Stage stage) noexcept;
/// The name of the enumerator, for example "truncated". Any thread.
WEIR_API std::string_view to_string(FaultKind kind) noexcept;

/// The category of Errc, named "weir". Any thread.
WEIR_API const std::error_category& error_category() noexcept;
/// Makes Errc usable as an error code of the standard library.
inline std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

/// What is wrong with the value of an option.
struct OptionProblem {
  std::string option;     ///< the member of Options, for example "queue.max_queue_size"
  std::string value;      ///< as text
  std::string bound;      ///< what it must be: "must be 1 to 64"
  std::string way_out{};  ///< what else helps: "leave it at its default"; may be empty
};

/// Thrown for misuse, impossible plans and failed streams. Compare code() with an Errc.
class WEIR_API Error : public std::system_error {
 public:
  /// `what` is a sentence. If it concerns an option, it states option, value and bound. Names of options are in
  /// backticks, so a program with options of its own can replace them: "`cache.keep` = decoded keeps pixels".
  Error(Errc code, Stage stage, const std::string& what)
      : std::system_error(make_error_code(code)), what_(what), stage_(stage) {}
  /// The text is "`option` = value: bound; way_out".
  Error(Errc code, Stage stage, const OptionProblem& problem)
      : Error(code, stage,
              '`' + problem.option + "` = " + problem.value + ": " + problem.bound +
                  (problem.way_out.empty() ? "" : "; " + problem.way_out)) {
    problem_ = std::make_shared<const OptionProblem>(problem);
  }
  /// The sentence alone, without the text of code().
  const char* what() const noexcept override { return what_.what(); }
  /// The stage of the error.
  Stage stage() const noexcept { return stage_; }
  /// The option whose value is wrong, with value, bound and way out. Null if the error is not about one
  /// value.
  const OptionProblem* problem() const noexcept { return problem_.get(); }

 private:
  std::runtime_error what_;  // a copy of it does not throw
  Stage stage_;
  std::shared_ptr<const OptionProblem> problem_{};
};

/// Thrown by a Source when one sample fails. Any other exception from Source::read becomes a fault
/// of kind `io`, with its what() as the reason.
class WEIR_API SampleError : public std::runtime_error {
 public:
  /// `reason` becomes Fault::reason. A value that is none of FaultKind counts as `io`.
  SampleError(FaultKind kind, const std::string& reason)
      : std::runtime_error(reason),
        kind_(static_cast<std::size_t>(kind) < fault_kind_count ? kind : FaultKind::io) {}
  /// Becomes Fault::kind.
  FaultKind kind() const noexcept { return kind_; }

 private:
  FaultKind kind_;
};

/// One bad sample, as data. Faults are recorded and counted. `reason` and `name` contain no control
/// characters, and `name` has no backtick: such bytes are escaped.
struct Fault {
  std::uint64_t index = 0;              ///< index in the source
  std::uint64_t epoch = 0;              ///< epoch in which the sample was drawn, from 0
  std::string name;                     ///< result of Source::name
  FaultKind kind = FaultKind::io;       ///< kind of the fault
  Stage stage = Stage::read;            ///< stage that detected the fault
  std::string reason;                   ///< description as text
  std::optional<std::uint64_t> offset;  ///< byte offset in the encoded sample, if known
  /// An optional plane that is `broken` in its row; the row has no fault. Empty: a fault of the row.
  std::string plane{};
};

/// How a stream handles a bad sample.
enum class OnFault : std::uint8_t {
  stop,   ///< the stream ends before the batch of this sample with Error{sample_failed}
  skip,   ///< another sample fills the row; it depends on seed, epoch, position and attempt alone
  blank,  ///< the row is Options::fill, and its status is `blank`
};

}  // namespace weir

/// \cond
template <>
struct std::is_error_code_enum<weir::Errc> : std::true_type {};
/// \endcond
