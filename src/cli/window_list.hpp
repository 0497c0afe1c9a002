#pragma once

#include <cstdint>
#include <optional>

#include "api/sample_reader.hpp"
#include "cli/output.hpp"
#include "cli/settings.hpp"
#include "codec/decoder.hpp"
#include "conductor/schedule.hpp"
#include "source/sampler.hpp"
#include "source/size_rule.hpp"

namespace weir::cli {

/// The file of `weir order --windows`: a JSON array with an object for each row. A window follows from
/// the header of its image; nothing is decoded. Of a sample that has no sound header it has the fault.
class WindowList {
 public:
  /// Writes nothing without --windows. `source` must outlive this object.
  WindowList(const Settings& settings, const AnySource& source);
  /// Adds the row of a sample. Throws as OutputFile does.
  void add(const conductor::BatchSlot& batch, source::Position position, std::uint64_t index);
  /// Completes the file.
  void close();

 private:
  Result<Window> window_of(const conductor::BatchSlot& batch, source::Position position,
                           std::uint64_t index);

  const AnySource& source_;
  const source::Sampler sampler_;
  const Options& options_;
  const source::SizeRule rule_;
  const codec::DecoderOptions decoder_;
  MemoryLedger ledger_{std::nullopt};
  api::SampleReader reader_{ledger_, UINT64_MAX, {}, false};
  std::optional<OutputFile> file_;
  const char* before_ = "[\n";
};

}  // namespace weir::cli
