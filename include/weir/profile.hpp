#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weir/export.hpp"
#include "weir/ledger.hpp"
#include "weir/memory.hpp"
#include "weir/report.hpp"

/// \file
/// The memory of the process beside the books: a report of one moment, and a profile by step and phase.
namespace weir {

/// One part of the resident memory of a process.
struct MemoryPart {
  std::string_view name;     ///< for example "thread_stacks"
  std::string_view meaning;  ///< one line
  /// The bytes. Only the rest can be negative: while charged memory is not resident yet.
  std::int64_t bytes = 0;
};

/// The books of a ledger beside the resident memory of the process, at one moment. A value. It is
/// the split that `weir run` prints.
///
///     weir::Loader loader(weir::image_folder("photos"));
///     ...
///     std::cout << weir::memory_report(loader.ledger()).text();
struct WEIR_API MemoryReport {
  MemorySnapshot books;     ///< the ledger, with all loaders that share it
  ProcessMemory process{};  ///< RSS and PSS
  ProcessParts measured{};  ///< what the kernel and the allocator say about the process

  /// Number of parts.
  static constexpr std::size_t part_count = 8;
  /// The parts of the RSS. Their sum is the RSS. From the books: slabs, decoders, index and cache.
  /// Measured: thread stacks, libraries, and what the allocator keeps. The last is the rest: the
  /// memory of the program itself.
  std::array<MemoryPart, part_count> parts() const;
  /// A table for a terminal.
  std::string text() const;
  /// A JSON object in one line: `rss`, `pss`, `live`, `peak`, `accounts` and `parts`, in bytes.
  std::string json() const;
  /// The same in Prometheus's text format, with the names that `weir run --metrics-port` uses.
  std::string metrics() const;
};

/// Measures now. It takes milliseconds, because the kernel walks every mapping of the process. Any
/// thread.
WEIR_API MemoryReport memory_report(const MemoryLedger& ledger);

/// Measures every few seconds, in a thread of its own.
class WEIR_API MemoryReporter {
 public:
  /// `take` gets a report at once and then after each `interval`. It runs in the reporter's thread
  /// and must not destroy the reporter. What it throws is discarded. The reporter may outlive the
  /// loaders. Throws Error{bad_options} if the interval is not above 0 or `take` is empty, and
  /// std::system_error if the thread cannot start.
  MemoryReporter(const MemoryLedger& ledger, std::chrono::milliseconds interval,
                 std::function<void(const MemoryReport&)> take);
  /// Waits for a running call of `take`.
  ~MemoryReporter();
  MemoryReporter(const MemoryReporter&) = delete;
  MemoryReporter& operator=(const MemoryReporter&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Memory during one phase.
struct PhaseUse {
  std::string name;         ///< name passed to phase()
  std::uint64_t times = 0;  ///< number of occurrences in the step
  /// In the order of watched(). `live` is the value at the last end of the phase, `peak` the
  /// maximum during the phase.
  std::vector<MemoryUse> watched;
  std::uint64_t rss = 0;  ///< resident bytes of the process at the last end
  /// Maximum of the resident bytes during the phase. It is the kernel's high-water mark (Linux:
  /// VmHWM) if /proc/self/clear_refs can reset it, otherwise the maximum at the beginnings and ends
  /// of phases.
  std::uint64_t rss_peak = 0;
};

/// Memory during one step.
struct WEIR_API StepUse {
  std::uint64_t number = 0;      ///< from 1; 0: the time before the first begin_step()
  std::vector<PhaseUse> phases;  ///< in order of first occurrence
  /// From one begin_step() to the next, including the time between phases.
  PhaseUse whole;
  /// Throws Error{bad_options} if the step has no such phase.
  const PhaseUse& operator[](std::string_view phase) const;
};

/// A memory profile by step and phase: the loader's accounts, the trainer's own accounts and the
/// process.
///
///     weir::CountingResource memory;
///     weir::MemoryProfile profile;
///     profile.watch("loader", loader.ledger());
///     profile.watch("network", memory);
///     for (...) {
///       profile.begin_step();
///       { auto phase = profile.phase("data"); ... }
///       { auto phase = profile.phase("forward"); ... }
///     }
///     std::cout << profile.text();
///
/// It works like common GPU memory profiles: reset the peak, run a phase, read live and peak. At
/// the beginning and end of a phase, it reads and resets each peak in one atomic operation. So each
/// allocation of any thread counts in exactly one phase. The watched objects are read one after the
/// other; their peaks may be at different times. The profile has its own peaks: reset_peak() and
/// other profiles do not affect it. Only the kernel's high-water mark of RSS is shared by the whole
/// process, and the profile resets it.
///
/// Phases do not nest: only one can be open, in any thread. A phase that occurs several times in a
/// step, such as the `forward` of micro-batches, has one entry. Any thread.
class WEIR_API MemoryProfile {
  struct State;

 public:
  /// Keeps the first `max_steps` steps. Later steps are only counted.
  explicit MemoryProfile(std::size_t max_steps = 1000);
  ~MemoryProfile();
  MemoryProfile(const MemoryProfile&) = delete;
  MemoryProfile& operator=(const MemoryProfile&) = delete;

  /// Watches the accounts of a ledger, of all loaders that share it. The profile may outlive the
  /// loaders. Throws Error{bad_options} if the name is empty or in use, or after the first step or
  /// phase.
  void watch(std::string name, const MemoryLedger& ledger);
  /// Watches the accounts of a CountingResource. Otherwise as above.
  void watch(std::string name, const CountingResource& memory);

  /// Begins the next step. Throws Error{bad_options} while a phase is open.
  void begin_step();

  /// An open phase. It ends with this object, also during an exception. One thread at a time. It
  /// may outlive the profile.
  class [[nodiscard]] Phase {
   public:
    WEIR_API Phase(Phase&& other) noexcept;
    Phase& operator=(Phase&&) = delete;
    /// Calls end(). If there is no memory to record the phase, the phase is omitted.
    WEIR_API ~Phase();
    /// Ends the phase now. No effect if it has ended.
    WEIR_API void end();

   private:
    friend class MemoryProfile;
    WEIR_API explicit Phase(std::shared_ptr<State> state) noexcept;
    std::shared_ptr<State> state_;
  };
  /// Opens a phase: `data`, `forward`, `loss`, `backward`, `step` or any other name. Throws
  /// Error{bad_options} if the name is empty or another phase is open.
  Phase phase(std::string name);

  /// The names passed to watch().
  std::vector<std::string> watched() const;
  /// The kept steps. The last one may be incomplete.
  std::vector<StepUse> steps() const;
  /// Number of steps, including those that were not kept.
  std::uint64_t steps_begun() const noexcept;

  /// Tables for a terminal of 100 columns: live and peak by account, and RSS. If there are many
  /// steps: the first three, the one with the highest peak and the last.
  std::string text() const;
  /// Writes the kept steps as a JSON object with `command`: `profile`. `profile` contains names,
  /// steps, phases, accounts and bytes. `weir page FILE --html PAGE` draws it.
  void write_json(std::ostream& out) const;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace weir
