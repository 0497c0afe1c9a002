#include "cli/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <system_error>

#include "base/numbers.hpp"
#include "base/sanitize.hpp"
#include "base/terms.hpp"
#include "base/text_file.hpp"
#include "options/values.hpp"
#include "report/bytes.hpp"
#include "source/order.hpp"

namespace weir::cli {
namespace {

bool within(double value, double low, double high) { return value >= low && value <= high; }

constexpr double seconds_a_day = 24.0 * 3600;

/// `suffix`: the unit that some people write behind the number.
double parse_time(std::string_view text, std::string_view unit, std::string_view suffix,
                  double most) {
  const auto bare = text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
  const auto time = parse_number<double>(bare);
  const bool fits = time && within(*time, 0, most);
  if (!fits || bare != text)
    refuse_value(fmt::format("must be 0 to {:.0f} {}{}", most, unit,
                             fits ? fmt::format("; write {}", bare) : ""));
  return *time;
}

/// Reads the number on each line. Blank lines are ignored.
std::vector<double> read_numbers(const std::string& path, double (*parse)(std::string_view)) {
  constexpr std::uint64_t most_bytes = 64ull << 20;
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
      refuse_value(fmt::format("line {}: '{}' {}", number, sanitize(value, 40), e.what()));
    }
  }
  return numbers;
}

double parse_weight(std::string_view text) {
  if (const auto weight = parse_number<double>(text)) return *weight;
  refuse_value(
      "is no number; write the weight of one sample on each line, in the order of the data");
}

}  // namespace

void refuse_value(const std::string& why) { throw std::invalid_argument(why); }

bool lists(std::string_view names, std::string_view name) noexcept {
  for (std::size_t at = 0; (at = names.find(name, at)) != names.npos; ++at) {
    const auto rest = names.substr(at + name.size());
    if ((at == 0 || names[at - 1] == ' ') && (rest.empty() || rest[0] == ' ')) return true;
  }
  return false;
}

std::string as_typed(std::string_view value) {
  const bool plain =
      !value.empty() && !value.ends_with(':') && value.find_first_of(" '\"`;\t\r\n") == value.npos;
  return plain ? sanitize(value) : fmt::format("'{}'", sanitize(value));
}

std::uint64_t parse_whole(std::string_view text, Bounds bounds) {
  return options::read_whole(text, bounds.low, bounds.high);
}

std::uint64_t parse_bytes_within(std::string_view text, Bounds bounds) {
  const auto bytes = report::parse_bytes(text);
  if (bytes < bounds.low || bytes > bounds.high)
    refuse_value(fmt::format("must be {} bytes", options::range_text(bounds.low, bounds.high)));
  return bytes;
}

std::vector<std::uint32_t> parse_depths(std::string_view text) {
  std::vector<std::uint32_t> depths;
  const auto parts = split(text, ',');
  const auto& bounds = *options::find("queue.max_queue_size");
  for (const auto part : parts) {
    const auto depth = parse_number<std::uint32_t>(part);
    if (!depth || *depth < bounds.least || *depth > bounds.most)
      refuse_value(
          fmt::format("{}must be a whole number, {}, or in sweep and plan a list as in 1,2,4",
                      parts.size() > 1 ? fmt::format("'{}' ", sanitize(part)) : "",
                      options::range_text(bounds.least, bounds.most)));
    depths.push_back(*depth);
  }
  return depths;
}

double parse_milliseconds(std::string_view text) {
  return parse_time(text, "milliseconds", "ms", seconds_a_day * 1000);
}

double parse_seconds(std::string_view text) {
  return parse_time(text, "seconds", "s", seconds_a_day);
}

double parse_share(std::string_view text) {
  const auto share = options::read_share(text).value_or(-1);
  if (share > 0 && share <= 1) return share;
  refuse_value(std::string("must be above 0 and at most 1, or 100%") +
               (share > 1 && share <= 100 && !text.ends_with('%')
                    ? fmt::format("; write {} or {}%", share / 100, share)
                    : ""));
}

std::vector<std::uint16_t> parse_fill(std::string_view text, char separator) {
  std::vector<std::uint16_t> values;
  for (const auto part : split(text, separator))
    values.push_back(static_cast<std::uint16_t>(parse_whole(part, {0, UINT16_MAX})));
  return values;
}

std::vector<double> read_trace(const std::string& path) {
  auto milliseconds = read_numbers(path, parse_milliseconds);
  if (milliseconds.empty())
    refuse_value("the file has no times; write one on each line, as in 12.5");
  return milliseconds;
}

weir::Progress read_progress(const std::string& paths) {
  std::vector<weir::Progress> states;
  for (const auto path : split(paths, ','))
    states.push_back(weir::Progress::load(std::string(path)));
  return weir::Progress::merge(states);
}

DelaySpec parse_delay(std::string_view text) {
  const auto parts = split(text, ':');
  const auto ms = [&](std::size_t i) { return parse_number<double>(parts[i]).value_or(-1); };
  constexpr auto most = seconds_a_day * 1000;
  if (parts.size() > 2 || !within(ms(0), 0, most) || (parts.size() == 2 && !within(ms(1), 0, most)))
    refuse_value(fmt::format("must be X or X:D, each 0 to {:.0f} milliseconds, as in 5:2", most));
  const DelaySpec delay{.mean_ms = ms(0), .deviation_ms = parts.size() == 2 ? ms(1) : 0};
  if (delay.mean_ms == 0 && delay.deviation_ms > 0)
    refuse_value("has a deviation D but no mean X; write X:D, as in 5:2");
  return delay;
}

void parse_tolerance(std::string_view text, FaultOptions& faults) {
  const bool percent = text.ends_with('%');
  const auto share =
      percent ? parse_number<double>(text.substr(0, text.size() - 1)).value_or(-1) / 100 : -1;
  const auto count = parse_number<std::uint64_t>(text);
  if (percent ? !within(share, 0, 1) : !count)
    refuse_value("must be a number of faults, or a percentage, 0% to 100%");
  if (percent)
    faults.tolerate_share = share;
  else
    faults.tolerate = *count;
}

std::optional<double> parse_auto_share(std::string_view text) {
  if (text == "auto") return usual_budget_share;
  if (!text.starts_with("auto")) return std::nullopt;
  const auto after = text.substr(std::min<std::size_t>(text.size(), 5));
  const bool percent = after.ends_with('%');
  const auto number = parse_number<double>(after.substr(0, after.size() - (percent ? 1 : 0)));
  const bool fits = text[4] == ':' && number && *number > 0 && *number <= 100;
  if (!fits) refuse_value("must be auto or auto:P%, with P above 0 and at most 100");
  if (!percent) refuse_value(fmt::format("did you mean {}%?", text));
  return *number / 100;
}

CacheOptions parse_cache(std::string_view text) {
  const auto parts = split(text, ':');
  CacheOptions cache;
  for (const auto keep : {Cache::nothing, Cache::encoded, Cache::decoded}) {
    if (parts[0] != to_string(keep)) continue;
    cache.keep = keep;
    if (parts.size() == 1) return cache;
    cache.max_bytes = report::parse_bytes(parts[1]);
    if (parts.size() == 2 && *cache.max_bytes > 0 && keep != Cache::nothing) return cache;
  }
  refuse_value("must be encoded or decoded, alone or with a bound as in encoded:2GiB");
}

Order parse_order(std::string_view text) {
  constexpr std::string_view weighted = "weighted:";
  if (text.starts_with(weighted))
    return Order::weighted(read_numbers(std::string(text.substr(weighted.size())), parse_weight));
  if (const auto order = source::parse_order(text)) return *order;
  refuse_value(
      "must be sequential, shuffle, blocks[:B[:K]], with_replacement[:DRAWS], weighted:FILE or "
      "every:N[:OFFSET], as in blocks:64:64; all but OFFSET are 1 or more");
}

std::vector<std::string> parse_extensions(std::string_view text) {
  std::vector<std::string> extensions;
  for (const auto part : split(text, ',')) {
    if (part.empty()) refuse_value("must be extensions, as in .jpg,.png");
    extensions.push_back((part.starts_with('.') || part == "*" ? "" : ".") + std::string(part));
  }
  return extensions;
}

std::vector<std::string> parse_classes(std::string_view text) {
  std::vector<std::string> classes;
  for (const auto part : split(text, ',')) {
    if (part.empty()) refuse_value("must be names of classes, as in cat,dog");
    classes.emplace_back(part);
  }
  return classes;
}

}  // namespace weir::cli
