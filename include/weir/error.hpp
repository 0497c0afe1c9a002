#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

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
enum class Stage : std::uint8_t { read, wait, decode, fit, handoff, lease };
inline constexpr std::size_t stage_count = 6;

enum class FaultKind : std::uint8_t { truncated, corrupt, unsupported, limit, io, timeout, memory };
inline constexpr std::size_t fault_kind_count = 7;

std::string_view to_string(Stage stage) noexcept;
std::string_view to_string(FaultKind kind) noexcept;

const std::error_category& error_category() noexcept;
inline std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

/// Thrown for misuse, impossible plans and dead streams.
class Error : public std::system_error {
 public:
  Error(Errc code, Stage stage, const std::string& what)
      : std::system_error(make_error_code(code), what), stage_(stage) {}
  Stage stage() const noexcept { return stage_; }

 private:
  Stage stage_;
};

/// Thrown by a Source to say how a sample failed. Any other exception that leaves Source::read
/// counts as kind `io` with its what() as the reason.
class SampleError : public std::runtime_error {
 public:
  SampleError(FaultKind kind, const std::string& reason)
      : std::runtime_error(reason), kind_(kind) {}
  FaultKind kind() const noexcept { return kind_; }

 private:
  FaultKind kind_;
};

/// One bad sample: data, recorded and counted. `reason` and `name` carry no control bytes.
struct Fault {
  std::uint64_t index = 0;
  std::uint64_t epoch = 0;
  std::string name;
  FaultKind kind = FaultKind::io;
  Stage stage = Stage::read;
  std::string reason;
  std::optional<std::uint64_t> offset;  ///< byte offset in the encoded sample, where known
};

/// stop: the stream ends before the batch with the bad sample. skip: a deterministic replacement
/// fills the row. blank: the row is zero and its status says so.
enum class OnFault : std::uint8_t { stop, skip, blank };

}  // namespace weir

template <>
struct std::is_error_code_enum<weir::Errc> : std::true_type {};
