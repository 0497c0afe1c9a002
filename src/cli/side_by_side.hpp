#pragma once

#include <cstdint>
#include <string>

#include "cli/interrupt.hpp"
#include "cli/laws.hpp"
#include "cli/settings.hpp"
#include "weir/loader.hpp"

namespace weir::cli {

/// The result of a comparison of ranks with one process.
struct SideBySide {
  std::uint32_t world = 1;    ///< 1: not requested
  std::uint64_t steps = 0;    ///< compared
  std::uint64_t padding = 0;  ///< rows without a sample
  std::string skipped{};      ///< why nothing was compared; empty if steps were compared
};

/// Runs all ranks of --world in this process, and one loader whose batch is that of all ranks. Side by
/// side in rank order, each step of the ranks must deliver the rows of its batch: Law::ranks. `did` is
/// the report of a loader with `options`. Nothing is checked if samples had faults that may not repeat,
/// or if `interrupt` was raised.
SideBySide compare_ranks(const AnySource& source, const Settings& settings, const Options& options,
                         const Report& did, const Interrupt& interrupt, LawBook& book);

}  // namespace weir::cli
