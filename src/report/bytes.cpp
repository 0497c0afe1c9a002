#include "report/bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <stdexcept>

#include "base/numbers.hpp"

namespace weir::report {
namespace {

constexpr std::uint64_t kilo = 1000;

std::uint64_t unit_of(std::string_view suffix) {
  std::string lower(suffix);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower.empty() || lower == "b") return 1;
  constexpr std::string_view prefixes = "kmgt";
  const auto power = prefixes.find(lower.front());
  if (power == std::string_view::npos) return 0;
  const auto rest = std::string_view(lower).substr(1);
  if (rest.empty() || rest == "ib") return std::uint64_t{1} << (10 * (power + 1));
  if (rest != "b") return 0;
  std::uint64_t unit = 1;
  for (std::size_t i = 0; i <= power; ++i) unit *= kilo;
  return unit;
}

[[noreturn]] void refuse_text() {
  throw std::invalid_argument("must be a number of bytes, as in 4096, 64MiB, 1.5GiB or 750kB");
}

}  // namespace

std::uint64_t parse_bytes(std::string_view text) {
  const auto digits_end = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto digits = text.substr(0, digits_end);
  const auto suffix_at = std::min(text.find_first_not_of(' ', digits_end), text.size());
  const auto unit = unit_of(text.substr(suffix_at));
  if (digits.empty() || unit == 0) refuse_text();

  if (const auto whole = parse_number<std::uint64_t>(digits)) {
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(*whole, unit, &bytes)) refuse_text();
    return bytes;
  }
  const auto value = parse_number<double>(digits);
  // A part of one byte cannot be meant.
  if (!value || unit == 1) refuse_text();
  const double bytes = std::floor(*value * static_cast<double>(unit));
  if (bytes >= 0x1p64) refuse_text();  // 2^64, the first value that is too large
  return static_cast<std::uint64_t>(bytes);
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes == UINT64_MAX) return "no bound";
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.995 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.2f} {}", value, units[unit]);
}

std::string human_difference(std::int64_t bytes) {
  const auto magnitude =
      bytes < 0 ? ~static_cast<std::uint64_t>(bytes) + 1 : static_cast<std::uint64_t>(bytes);
  return (bytes < 0 ? "-" : "") + human_bytes(magnitude);
}

std::string mib_figure(std::uint64_t bytes) {
  return fmt::format("{:.2f}", static_cast<double>(bytes) / (1 << 20));
}

std::string mib_difference(std::int64_t bytes) {
  return fmt::format("{:+.2f}", static_cast<double>(bytes) / (1 << 20));
}

std::string grouped(std::uint64_t count) {
  auto text = fmt::format("{}", count);
  for (auto at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

}  // namespace weir::report
