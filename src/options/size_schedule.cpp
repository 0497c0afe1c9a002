#include "options/size_schedule.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "options/values.hpp"
#include "source/fingerprint.hpp"

namespace weir::options {
namespace {

constexpr std::string_view keyword = "epoch ";
constexpr std::size_t most_name = 64;

using When = std::pair<std::uint64_t, std::uint64_t>;

When when(const SizeChange& change) { return {change.epoch, change.step}; }

SizeChange read_change(std::string_view text) {
  if (text.starts_with(keyword)) text.remove_prefix(keyword.size());
  const auto colon = text.find(':');
  if (colon == text.npos) refuse_text("has no colon; write EPOCH: SIZE, or EPOCH+STEP: SIZE");
  const auto from = trimmed(text.substr(0, colon)), size = trimmed(text.substr(colon + 1));
  const auto plus = from.find('+');
  SizeChange change{.epoch = read_whole(from.substr(0, plus), 0, UINT64_MAX)};
  if (plus != from.npos) change.step = read_whole(from.substr(plus + 1), 0, UINT64_MAX);
  // One number is both sides.
  change.size =
      read_size(size.find('x') == size.npos ? concat(size, 'x', size) : std::string(size));
  return change;
}

}  // namespace

std::string text_of(const SizeChange& change) {
  return concat(change.epoch, change.step > 0 ? concat('+', change.step) : "", ": ",
                sides(change.size));
}

std::vector<SizeChange> read_schedule(std::string_view text) {
  std::vector<SizeChange> schedule;
  const bool lines = text.find('\n') != text.npos;
  const char separator = lines ? '\n' : text.find(';') != text.npos ? ';' : ',';
  std::size_t number = 0;
  for (const auto part : split(text, separator)) {
    ++number;
    const auto written = trimmed(part);
    if (lines && (written.empty() || written.starts_with('#'))) continue;
    try {
      const auto change = read_change(written);
      if (schedule.empty() && when(change) != When())
        refuse_text("the first size must be that of epoch 0");
      if (!schedule.empty() && when(change) <= when(schedule.back()))
        refuse_text("must be later than the part before it");
      schedule.push_back(change);
    } catch (const std::invalid_argument& e) {
      refuse_text(
          concat(lines ? "line " : "part ", number, " '", sanitize(written), "': ", e.what()));
    }
  }
  if (schedule.empty()) refuse_text("has no sizes");
  return schedule;
}

SizeFunction function_of(const std::vector<SizeChange>& schedule, Sizes mode) {
  std::string name(keyword);
  for (const auto& change : schedule)
    name += (&change == schedule.data() ? "" : "; ") + text_of(change);
  if (name.size() > most_name) name = "schedule " + source::fingerprint_of_text(name);
  return {name, [schedule, mode](const SizeInput& in) {
            const auto later = std::ranges::find_if(schedule, [&](const SizeChange& change) {
              return when(change) > When(in.epoch, in.step);
            });
            const auto size = std::prev(later)->size;
            return mode == Sizes::fixed ? size : scaled_within(in.image, size);
          }};
}

}  // namespace weir::options
