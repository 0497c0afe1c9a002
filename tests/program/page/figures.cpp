#include "figures.hpp"

#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>

namespace weir::test {
namespace {

const std::map<std::string, double>& factors() {
  static const std::map<std::string, double> known{
      {"", 1},       {"B", 1},    {"KiB", 1024},          {"MiB", 1024.0 * 1024}, {"samples/s", 1},
      {"rows/s", 1}, {"%", 0.01}, {"GiB", std::exp2(30)}, {"TiB", std::exp2(40)}, {"µs", 1e-6},
      {"ms", 1e-3},  {"s", 1}};
  return known;
}

}  // namespace

nlohmann::json at(const nlohmann::json& report, const std::string& path) {
  auto place = &report;
  std::istringstream keys(path);
  for (std::string key; std::getline(keys, key, '.');) {
    if (place->is_array() && std::stoul(key) < place->size())
      place = &(*place)[std::stoul(key)];
    else if (place->is_object() && place->contains(key))
      place = &(*place)[key];
    else
      return nullptr;
  }
  return *place;
}

bool says(const std::string& text, const std::string& unit, const nlohmann::json& value) {
  if (unit == "word") return value == text;
  if (!value.is_number()) return false;
  std::string number;
  std::size_t i = 0;
  bool negative = false;
  constexpr std::string_view minus = "−";
  if (text.starts_with(minus)) {
    negative = true;
    i = minus.size();
  }
  constexpr std::string_view cross = "×";
  if (unit == "times") i += text.starts_with(cross) ? cross.size() : text.size();
  int decimals = 0;
  bool after_point = false;
  for (; i < text.size() && text[i] != ' '; ++i) {
    if (text[i] == ',' || text[i] == '+') continue;
    if (after_point) ++decimals;
    if (text[i] == '.') after_point = true;
    number += text[i];
  }
  const auto written = i < text.size() ? text.substr(i + 1) : "";
  if (number.empty() || !factors().contains(written)) return false;
  // The report has microseconds if its key says so, otherwise seconds.
  const double factor = factors().at(written) * (unit == "micros" ? 1e6 : 1);
  const double shown = (negative ? -1 : 1) * std::stod(number) * factor;
  const double half_a_digit = 0.5 * std::pow(10, -decimals) * factor;
  const auto exact = value.get<double>();
  if (unit == "count") return shown == exact;
  return std::abs(shown - exact) <= half_a_digit * (1 + 1e-6);
}

}  // namespace weir::test
