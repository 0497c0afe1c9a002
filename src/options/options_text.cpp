#include <algorithm>
#include <stdexcept>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "options/option_row.hpp"
#include "options/refuse.hpp"
#include "options/values.hpp"

namespace weir {
namespace {

constexpr char separator = ',', equals = '=';

/// One value is meant for all channels that there are.
void trim(Fill& fill, PixelFormat pixels) noexcept {
  for (std::size_t i = channels_of(pixels); i < fill.size(); ++i) fill[i] = 0;
}

}  // namespace

Options Options::parse(std::string_view text) {
  Options all;
  std::vector<const options::Row*> given;
  const auto parts = options::split(text, separator);
  for (const auto part : parts) {
    if (part.empty() && parts.size() == 1) break;
    const auto name = part.substr(0, part.find(equals));
    const auto* const row = options::find(name);
    if (!row)
      refuse("'", sanitize(name), "': no option has this name; docs/guide/options.md lists them");
    if (name.size() == part.size()) refuse(row->name, " has no value; write ", row->name, "=VALUE");
    if (std::ranges::find(given, row) != given.end())
      refuse(row->name, " is given twice: ", sanitize(text));
    given.push_back(row);
    const auto value = part.substr(name.size() + 1);
    try {
      row->read(*row, value, all);
    } catch (const std::invalid_argument& e) {
      refuse_value(row->name, sanitize(value), e.what());
    }
  }
  trim(all.fill, all.pixels);
  for (auto& plane : all.planes) trim(plane.fill, plane.pixels);
  return all;
}

std::string to_string(const Options& value) {
  std::string all;
  for (const auto& row : options::rows())
    if (row.is_text && options::is_set(row, value))
      all += concat(all.empty() ? "" : ",", row.name, equals, row.text(row, value));
  return all;
}

}  // namespace weir
