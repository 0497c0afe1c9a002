#include "cli/parse.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/terms.hpp"
#include "report/bytes.hpp"
#include "source/text_file.hpp"

namespace weir::cli {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const auto end = std::min(text.find(separator, from), text.size());
    parts.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

constexpr double seconds_a_day = 24.0 * 3600;

double parse_time(std::string_view text, std::string_view unit, double most) {
  const auto time = parse_number<double>(text, fmt::format("a number of {}", unit));
  if (!(time >= 0 && time <= most))
    refuse_word(text, fmt::format("is not between 0 and {:.0f} {}", most, unit));
  return time;
}

/// A file that an option names. What is wrong with it is an error of the option.
std::string read_argument(const std::string& path, std::uint64_t most_bytes) {
  try {
    return source::read_text_file(path, most_bytes);
  } catch (const Error& e) {
    throw std::invalid_argument(plain_text(e));
  }
}

}  // namespace

void refuse_word(std::string_view text, std::string_view why) {
  throw std::invalid_argument(fmt::format("'{}' {}", text, why));
}

Shape parse_size(std::string_view text) {
  const auto sides = split(text, 'x');
  constexpr std::string_view what = "a size; write HxW, as in 224x224";
  if (sides.size() != 2) refuse_word(text, "is not " + std::string(what));
  const Shape shape{.height = parse_number<std::uint32_t>(sides[0], what),
                    .width = parse_number<std::uint32_t>(sides[1], what)};
  if (shape.height == 0 || shape.width == 0) refuse_word(text, "has a side of 0");
  return shape;
}

std::vector<std::uint32_t> parse_depths(std::string_view text) {
  std::vector<std::uint32_t> depths;
  for (const auto part : split(text, ',')) {
    depths.push_back(parse_number<std::uint32_t>(part, "a queue depth"));
    if (depths.back() == 0) throw std::invalid_argument("a queue holds at least 1 batch, not 0");
  }
  return depths;
}

double parse_milliseconds(std::string_view text) {
  return parse_time(text, "milliseconds", seconds_a_day * 1000);
}

double parse_seconds(std::string_view text) { return parse_time(text, "seconds", seconds_a_day); }

double parse_share(std::string_view text) {
  const bool percent = text.ends_with('%');
  const auto number = parse_number<double>(percent ? text.substr(0, text.size() - 1) : text,
                                           "a share, such as 0.99 or 99%");
  const auto share = percent ? number / 100 : number;
  if (!(share > 0 && share <= 1)) refuse_word(text, "is not above 0 and at most 1");
  return share;
}

std::vector<double> read_trace(const std::string& path) {
  constexpr std::uint64_t most_bytes = 64ull << 20;
  const auto text = read_argument(path, most_bytes);
  std::vector<double> milliseconds;
  std::size_t number = 0;
  for (const auto line : split(text, '\n')) {
    ++number;
    const auto first = line.find_first_not_of(" \t\r");
    if (first == line.npos) continue;
    const auto last = line.find_last_not_of(" \t\r");
    try {
      milliseconds.push_back(parse_milliseconds(line.substr(first, last - first + 1)));
    } catch (const std::invalid_argument& e) {
      throw std::invalid_argument(fmt::format("{} line {}: {}", path, number, e.what()));
    }
  }
  if (milliseconds.empty()) throw std::invalid_argument(path + " has no times");
  return milliseconds;
}

DelaySpec parse_delay(std::string_view text) {
  const auto colon = text.find(':');
  DelaySpec delay{.mean_ms = parse_milliseconds(text.substr(0, colon))};
  if (colon == text.npos) return delay;
  delay.deviation_ms = parse_milliseconds(text.substr(colon + 1));
  if (delay.mean_ms == 0 && delay.deviation_ms > 0)
    refuse_word(text, "has a deviation but no mean");
  return delay;
}

void parse_tolerance(std::string_view text, FaultOptions& faults) {
  if (!text.ends_with('%')) {
    faults.tolerate = parse_number<std::uint64_t>(text, "a number of faults or a percentage");
    return;
  }
  const auto percent = parse_number<double>(text.substr(0, text.size() - 1), "a percentage");
  if (!(percent >= 0 && percent <= 100)) refuse_word(text, "is not between 0% and 100%");
  faults.tolerate_share = percent / 100;
}

std::optional<double> parse_auto_share(std::string_view text) {
  constexpr double usual = 0.5;
  if (text == "auto") return usual;
  if (!text.starts_with("auto:") || !text.ends_with('%')) return std::nullopt;
  const auto percent = parse_number<double>(text.substr(5, text.size() - 6), "a percentage");
  if (!(percent > 0 && percent <= 100)) refuse_word(text, "is not above 0% and at most 100%");
  return percent / 100;
}

CacheOptions parse_cache(std::string_view text) {
  const auto parts = split(text, ':');
  CacheOptions cache;
  for (const auto keep : {Cache::nothing, Cache::encoded, Cache::decoded}) {
    if (parts[0] != to_string(keep)) continue;
    cache.keep = keep;
    if (parts.size() == 1) return cache;
    cache.max_bytes = report::parse_bytes(parts[1]);
    if (parts.size() == 2 && cache.max_bytes > 0 && keep != Cache::nothing) return cache;
  }
  refuse_word(text, "is no cache; write encoded or decoded, or with a bound as in encoded:2GiB");
}

std::vector<std::string> parse_extensions(std::string_view text) {
  std::vector<std::string> extensions;
  for (const auto part : split(text, ',')) {
    if (part.empty()) refuse_word(text, "has an empty extension");
    extensions.push_back((part.starts_with('.') || part == "*" ? "" : ".") + std::string(part));
  }
  return extensions;
}

}  // namespace weir::cli
