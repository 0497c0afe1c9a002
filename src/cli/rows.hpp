#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/output.hpp"
#include "cli/settings.hpp"
#include "conductor/schedule.hpp"
#include "weir/loader.hpp"

namespace weir::cli {

/// The batches of a rank for a source of `samples` samples, computed without one of them. `ranks` is resolved. `resume` was checked.
conductor::Schedule schedule_of(const Settings& settings, const Ranks& ranks,
                                std::uint64_t samples);

/// The name as a field of a table with tabs: as in --list-bad, and a tab is written \t.
std::string name_field(const std::string& name);

/// The file of --samples: a line for each row that a run delivers. Without a file it does nothing. One
/// thread.
class SampleList {
 public:
  /// `source` must outlive this. Throws as OutputFile does.
  SampleList(const Settings& settings, const Loader& loader, const AnySource& source);

  void add(const Batch& batch);
  /// Completes the file. Throws as OutputFile does.
  void close();

 private:
  const AnySource& source_;
  const conductor::Schedule schedule_;
  std::optional<OutputFile> file_;
};

}  // namespace weir::cli
