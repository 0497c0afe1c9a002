#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
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

/// A file that decodes.
struct Sound {
  std::uint64_t index = 0;
  std::string name;
  std::string_view format;
  std::uint32_t width = 0, height = 0;
  bool damaged = false;
};

/// What the files of a source are. Sizes and formats are of those that decode.
struct Survey {
  std::uint64_t files = 0, sound = 0;
  std::uint64_t damaged = 0;  ///< of the sound ones: lenient mode delivers what there is
  std::map<std::string, std::uint64_t> formats;
  Range width, height, encoded_bytes;
  std::uint64_t worst_scratch = 0;  ///< of a decode with the options given
  std::string worst_scratch_name;
  std::vector<Fault> faults;  ///< every one, by index
  std::vector<Sound> each;    ///< every sound one, by index, where --each asks for them

  void merge(Survey&& other);
};

/// Reads every file and decodes the whole of it, crop or no crop; what a run refuses for its
/// `max_sample_bytes` is refused here, too. `workers` threads, or as many of
/// them as can be had; 0: one per hardware thread.
Survey survey(const AnySource& source, const Settings& settings, const Interrupt& interrupt);

}  // namespace weir::cli
