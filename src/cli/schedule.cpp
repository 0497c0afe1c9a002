#include "cli/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "cli/parse.hpp"

namespace weir::cli {

std::vector<options::SizeChange> read_schedule(const std::string& text) {
  constexpr std::uint64_t most_file_bytes = 64ull << 20;
  // A file with a colon in its name would be read as a schedule.
  const bool typed = text.starts_with("epoch ") || text.find(':') != text.npos;
  return options::read_schedule(typed ? text : read_text_file(text, most_file_bytes) + '\n');
}

void apply_schedule(const std::vector<options::SizeChange>& schedule, bool bounded,
                    Options& options) {
  ImageSize largest;
  for (const auto& change : schedule)
    largest = {std::max(largest.height, change.size.height),
               std::max(largest.width, change.size.width)};
  auto& sizes = options.sizes;
  const bool fixed = sizes.mode == Sizes::fixed;
  if (!bounded && fixed) options.shape = largest;
  if (!bounded && !fixed) {
    sizes.max_height = largest.height;
    sizes.max_width = largest.width;
  }
  const auto bound = fixed ? options.shape : sizes.bound();
  for (const auto& change : schedule)
    if (change.size.height > bound.height || change.size.width > bound.width)
      refuse_value(fmt::format("{} is beyond {}, which {} gives; leave that option out",
                               text_of(change), sides(bound), fixed ? "--size" : "--max-size"));
  sizes.size = function_of(schedule, sizes.mode);
}

ImageSize largest_of(const std::vector<options::SizeChange>& schedule,
                     std::optional<std::uint64_t> epochs) {
  const auto pixels = [epochs](const options::SizeChange& change) {
    return !epochs || change.epoch < *epochs ? mul_sat(change.size.height, change.size.width) : 0;
  };
  return std::ranges::max(schedule, {}, pixels).size;
}

}  // namespace weir::cli
