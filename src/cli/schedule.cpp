#include "cli/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/checked.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "cli/parse.hpp"
#include "options/data_text.hpp"
#include "source/fingerprint.hpp"

namespace weir::cli {
namespace {

constexpr std::string_view keyword = "epoch ", blanks = " \t\r";
constexpr std::uint64_t most_file_bytes = 64ull << 20;
constexpr std::size_t most_name = 64;

std::string_view trimmed(std::string_view text) {
  const auto first = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

SizeChange read_change(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == text.npos) refuse_value("has no colon; write EPOCH: SIZE, or EPOCH+STEP: SIZE");
  const auto when = trimmed(text.substr(0, colon)), size = trimmed(text.substr(colon + 1));
  const auto plus = when.find('+');
  SizeChange change{.epoch = parse_whole(when.substr(0, plus), {})};
  if (plus != when.npos) change.step = parse_whole(when.substr(plus + 1), {});
  // One number is both sides.
  change.size = options::read_size(size.find('x') == size.npos ? fmt::format("{0}x{0}", size)
                                                               : std::string(size));
  return change;
}

/// `part`: for an error.
void add(std::vector<SizeChange>& schedule, std::string_view text, const std::string& part) {
  try {
    const auto change = read_change(text);
    const auto when = [](const SizeChange& c) { return std::pair(c.epoch, c.step); };
    if (schedule.empty() && when(change) != std::pair<std::uint64_t, std::uint64_t>())
      refuse_value("the first size must be that of epoch 0");
    if (!schedule.empty() && when(change) <= when(schedule.back()))
      refuse_value("must be later than the part before it");
    schedule.push_back(change);
  } catch (const std::invalid_argument& e) {
    refuse_value(fmt::format("{} '{}': {}", part, sanitize(text), e.what()));
  }
}

std::string text_of(const SizeChange& change) {
  return fmt::format("{}{}: {}", change.epoch,
                     change.step > 0 ? fmt::format("+{}", change.step) : "", sides(change.size));
}

/// Ranks compare it. Options::parse() would end at a comma.
std::string name_of(const std::vector<SizeChange>& schedule) {
  std::string name(keyword);
  for (const auto& change : schedule)
    name += (&change == schedule.data() ? "" : "; ") + text_of(change);
  return name.size() <= most_name ? name : "schedule " + source::fingerprint_of_text(name);
}

}  // namespace

std::vector<SizeChange> read_schedule(const std::string& text) {
  std::vector<SizeChange> schedule;
  const bool begun = text.starts_with(keyword);
  // A file with a colon in its name would be read as a schedule.
  const bool typed = begun || text.find(':') != text.npos;
  const auto all = begun   ? text.substr(keyword.size())
                   : typed ? text
                           : read_text_file(text, most_file_bytes);
  std::size_t number = 0;
  for (const auto part : split(all, typed ? ',' : '\n')) {
    ++number;
    const auto change = trimmed(part);
    if (!typed && (change.empty() || change.starts_with('#'))) continue;
    add(schedule, change, fmt::format("{} {}", typed ? "part" : "line", number));
  }
  if (schedule.empty()) refuse_value("has no sizes");
  return schedule;
}

void apply_schedule(const std::vector<SizeChange>& schedule, bool bounded, Options& options) {
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
  sizes.size = {name_of(schedule), [schedule, fixed](const SizeInput& in) {
                  const auto later = std::ranges::find_if(schedule, [&](const SizeChange& change) {
                    return std::pair(change.epoch, change.step) > std::pair(in.epoch, in.step);
                  });
                  const auto size = std::prev(later)->size;
                  return fixed ? size : scaled_within(in.image, size);
                }};
}

ImageSize largest_of(const std::vector<SizeChange>& schedule, std::optional<std::uint64_t> epochs) {
  const auto pixels = [epochs](const SizeChange& change) {
    return !epochs || change.epoch < *epochs ? mul_sat(change.size.height, change.size.width) : 0;
  };
  return std::ranges::max(schedule, {}, pixels).size;
}

}  // namespace weir::cli
