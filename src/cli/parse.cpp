#include "cli/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/numbers.hpp"
#include "base/sanitize.hpp"
#include "base/terms.hpp"
#include "base/text_file.hpp"
#include "options/values.hpp"
#include "report/bytes.hpp"
#include "source/order.hpp"

namespace weir::cli {
namespace {

constexpr double seconds_a_day = 24.0 * 3600;

constexpr std::uint64_t most_bytes = 64ull << 20;  ///< of a file that is read

/// `suffix`: the unit that some people write behind the number.
double parse_time(std::string_view text, std::string_view unit, std::string_view suffix,
                  double least, double most) {
  const auto bare = text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
  const auto time = parse_number<double>(bare);
  const bool fits = time && options::is_within(*time, least, most);
  if (!fits || bare != text)
    refuse_text(fmt::format("must be {} to {:.0f} {}{}", least, most, unit,
                            fits ? fmt::format("; write {}", bare) : ""));
  return *time;
}

/// Reads the number on each line. Blank lines are ignored.
std::vector<double> read_numbers(const std::string& path, double (*parse)(std::string_view)) {
  const auto text = read_text_file(path, most_bytes);
  std::vector<double> numbers;
  std::size_t number = 0;
  for (const auto line : split(text, '\n')) {
    ++number;
    const auto first = line.find_first_not_of(" \t\r");
    if (first == line.npos) continue;
    const auto value = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
    try {
      numbers.push_back(parse(value));
    } catch (const std::invalid_argument& e) {
      refuse_text(fmt::format("line {}: '{}' {}", number, sanitize(value, 40), e.what()));
    }
  }
  return numbers;
}

double parse_weight(std::string_view text) {
  if (const auto weight = parse_number<double>(text)) return *weight;
  refuse_text(
      "is no number; write the weight of one sample on each line, in the order of the data");
}

}  // namespace

bool lists(std::string_view names, std::string_view name) {
  return std::ranges::count(split(names, ' '), name) > 0;
}

std::vector<std::uint32_t> parse_depths(std::string_view text) {
  std::vector<std::uint32_t> depths;
  const auto& bounds = *options::find("queue.max_queue_size");
  for (const auto part : split(text, ','))
    depths.push_back(
        static_cast<std::uint32_t>(options::read_whole(part, bounds.least, bounds.most)));
  return depths;
}

double parse_milliseconds(std::string_view text) {
  return parse_time(text, "milliseconds", "ms", 0, seconds_a_day * 1000);
}

double parse_seconds(std::string_view text) {
  return parse_time(text, "seconds", "s", 0.001, seconds_a_day);
}

std::vector<double> read_trace(const std::string& path) {
  auto milliseconds = read_numbers(path, parse_milliseconds);
  if (milliseconds.empty())
    refuse_text("the file has no times; write one on each line, as in 12.5");
  return milliseconds;
}

weir::Progress read_progress(const std::string& paths) {
  std::vector<weir::Progress> states;
  const auto files = split(paths, ',');
  // The error of an option begins with its value: a single file is named there.
  for (const auto path : files)
    states.push_back(files.size() == 1 ? weir::Progress::parse(read_text_file(paths, most_bytes))
                                       : weir::Progress::load(std::string(path)));
  return weir::Progress::merge(states);
}

DelaySpec parse_delay(std::string_view text) {
  const auto parts = split(text, ':');
  const auto ms = [&](std::size_t i) { return parse_number<double>(parts[i]).value_or(-1); };
  constexpr auto most = seconds_a_day * 1000;
  if (parts.size() > 2 || !options::is_within(ms(0), 0, most) ||
      (parts.size() == 2 && !options::is_within(ms(1), 0, most)))
    refuse_text(fmt::format("must be X or X:D, each 0 to {:.0f} milliseconds, as in 5:2", most));
  const DelaySpec delay{.mean_ms = ms(0), .deviation_ms = parts.size() == 2 ? ms(1) : 0};
  if (delay.mean_ms == 0 && delay.deviation_ms > 0)
    refuse_text("has a deviation D but no mean X; write X:D, as in 5:2");
  return delay;
}

std::optional<double> parse_auto_share(std::string_view text) {
  if (text == "auto") return usual_budget_share;
  if (!text.starts_with("auto")) return std::nullopt;
  const auto share = text[4] == ':' ? options::read_share(text.substr(5)).value_or(0) : 0;
  if (share > 0 && share <= 1) return share;
  refuse_text("must be auto or auto:P%, with P above 0 and at most 100");
}

Order parse_order(std::string_view text) {
  constexpr std::string_view weighted = "weighted:";
  if (text.starts_with(weighted))
    return Order::weighted(read_numbers(std::string(text.substr(weighted.size())), parse_weight));
  if (const auto order = source::parse_order(text)) return *order;
  refuse_text(
      "must be sequential, shuffle, blocks[:B[:K]], with_replacement[:DRAWS], weighted:FILE or "
      "every:N[:OFFSET], as in blocks:64:64; all but OFFSET are 1 or more");
}

std::vector<options::SizeChange> read_schedule(const std::string& text) {
  // A file with a colon in its name would be read as a schedule.
  const bool typed = text.starts_with("epoch ") || text.find(':') != text.npos;
  return options::read_schedule(typed ? text : read_text_file(text, most_bytes) + '\n');
}

std::vector<std::string> parse_names(std::string_view text) {
  std::vector<std::string> names;
  for (const auto part : split(text, ',')) {
    if (part.empty()) refuse_text("must be names with commas between them");
    names.emplace_back(part);
  }
  return names;
}

std::vector<std::string> parse_extensions(std::string_view text) {
  auto extensions = parse_names(text);
  for (auto& each : extensions)
    if (!each.starts_with('.') && each != "*") each.insert(0, 1, '.');
  return extensions;
}

}  // namespace weir::cli
