#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "weir/plan.hpp"

namespace weir::plan {

/// The largest bytes that samples of the data need. Each figure can be of another sample. All 0:
/// unknown.
struct LargestSample {
  std::uint64_t encoded = 0;  ///< the block that it is read into
  std::uint64_t scratch = 0;  ///< working memory of its decode
  std::uint64_t both = 0;     ///< what max_sample_bytes bounds
};

/// What a plan depends on besides the options.
struct Surroundings {
  std::uint64_t index_bytes = 0;
  std::uint64_t others_promised = 0;  ///< of a shared budget
  std::uint64_t samples = 0;          ///< 0: unknown
  LargestSample sample{};
  bool sample_bounds = true;   ///< whether the default of max_sample_bytes is at most `sample.both`
  bool shares_ledger = false;  ///< the budget is that of MemoryOptions::ledger
  bool tuned = false;          ///< TuningOptions::mode is automatic
};

/// What a plan was resolved from, without functions and objects of the caller, which a plan can
/// outlive: their memory and their codecs, sizes and callbacks.
struct Origin {
  Options options;
  Surroundings given;
};

/// Maximum bytes of all blocks of a stream that `encoded` and `scratch` count, without the reserve.
/// A worker keeps the block of the largest encoded sample and that of the largest decode that it
/// has seen, which can be two samples. `sample`: the samples of the data; unknown: any samples.
std::uint64_t working_bytes(const Plan& plan, const LargestSample& sample);

/// What bounds the bytes of a loader: its own budget, or that of a ledger that it shares.
std::optional<std::uint64_t> budget_of(const MemoryOptions& memory) noexcept;
/// Its name in messages.
std::string_view budget_name(const MemoryOptions& memory) noexcept;

/// weir::resolve().
Plan resolve(const Options& options, const Surroundings& given);

}  // namespace weir::plan
