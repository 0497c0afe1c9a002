#include "report/bytes.hpp"

#include <fmt/format.h>

#include <array>

namespace weir::report {

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
