#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "weir/export.hpp"
#include "weir/ledger.hpp"
#include "weir/report.hpp"

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

}  // namespace weir
