#include "base/byte_text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>

#include "base/numbers.hpp"
#include "base/text.hpp"

namespace weir {
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
[[noreturn]] void refuse_large() {
  throw std::invalid_argument(concat("must be at most ", UINT64_MAX, " bytes"));
}

}  // namespace

std::uint64_t parse_bytes(std::string_view text) {
  const auto digits_end = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto digits = text.substr(0, digits_end);
  const auto suffix_at = std::min(text.find_first_not_of(' ', digits_end), text.size());
  const auto unit = unit_of(text.substr(suffix_at));
  if (digits.empty() || unit == 0) refuse_text();

  if (digits.find('.') == digits.npos) {
    const auto whole = parse_number<std::uint64_t>(digits);
    std::uint64_t bytes = 0;
    if (!whole || __builtin_mul_overflow(*whole, unit, &bytes)) refuse_large();
    return bytes;
  }
  const auto value = parse_number<double>(digits);
  // A part of one byte cannot be meant.
  if (!value || unit == 1) refuse_text();
  const double bytes = std::floor(*value * static_cast<double>(unit));
  if (bytes < 1 && *value > 0) refuse_text();
  if (bytes >= 0x1p64) refuse_large();  // 2^64, the first value that is too large
  return static_cast<std::uint64_t>(bytes);
}

std::string byte_text(std::uint64_t bytes) {
  for (int power = 4; power > 0; --power)
    if (const auto unit = std::uint64_t{1} << (10 * power); bytes > 0 && bytes % unit == 0)
      return concat(bytes / unit, "KMGT"[power - 1], "iB");
  return std::to_string(bytes);
}

}  // namespace weir
