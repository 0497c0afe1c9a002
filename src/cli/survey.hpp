#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/interrupt.hpp"
#include "cli/settings.hpp"
#include "weir/error.hpp"
#include "weir/source.hpp"

namespace weir::cli {

/// The least and the most of something; both 0 where nothing was seen.
struct Range {
  std::uint64_t least = 0, most = 0;
  void add(std::uint64_t value) noexcept;
  void merge(const Range& other) noexcept;

 private:
  bool empty_ = true;
};

/// What the files of a source are. Sizes and formats are of those that decode.
struct Survey {
  std::uint64_t files = 0, sound = 0;
  std::map<std::string, std::uint64_t> formats;
  Range width, height, encoded_bytes;
  std::uint64_t worst_scratch = 0;  ///< of a decode with the options given
  std::string worst_scratch_name;
  std::vector<Fault> faults;  ///< every one, by index

  void merge(Survey&& other);
};

/// Reads every file and decodes the whole of it, crop or no crop. `workers` threads, 0: one per
/// hardware thread.
Survey survey(const AnySource& source, const Settings& settings, const Interrupt& interrupt);

}  // namespace weir::cli
