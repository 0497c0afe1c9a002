#include <algorithm>
#include <stdexcept>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "options/option_row.hpp"
#include "options/refuse.hpp"
#include "options/size_schedule.hpp"
#include "options/values.hpp"

namespace weir {
namespace {

constexpr char separator = ',', equals = '=';
constexpr std::string_view schedule = "epoch ";  // begins the name of a schedule

/// Whether a text gives the value: it is no object, and not refused without one.
bool gives(const options::Row& row, const Options& value) noexcept {
  const auto kind = value.order.kind;
  if (row.name == "order") return kind != Order::Kind::weighted && kind != Order::Kind::own;
  if (row.name == "sizes.size.name") return value.sizes.size.name.starts_with(schedule);
  return row.is_text && !row.name.ends_with(".name") && !row.name.starts_with("window.") &&
         row.name != "transform.input" && row.name != "transform.whole";
}

/// One value is that of all channels, also of those that `pixels` lack. Other values are refused later.
void trim(Fill& fill, PixelFormat pixels) noexcept {
  const auto is_one = [&](std::uint16_t value) { return value == fill[0] || value == 0; };
  if (!std::ranges::all_of(fill, is_one)) return;
  for (std::size_t i = channels_of(pixels); i < fill.size(); ++i) fill[i] = 0;
}

}  // namespace

void options::trim_fills(Options& options) noexcept {
  trim(options.fill, options.pixels);
  for (auto& plane : options.planes) trim(plane.fill, plane.pixels);
}

Options Options::parse(std::string_view text) {
  Options all;
  std::vector<const options::Row*> given;
  const auto parts = split(text, separator);
  for (const auto part : parts) {
    if (part.empty() && parts.size() == 1) break;
    const auto name = part.substr(0, part.find(equals));
    const auto* const row = options::find(name);
    if (!row) {
      std::vector<std::string_view> ends;
      for (const auto& one : options::rows())
        if (one.name.ends_with(concat('.', name))) ends.push_back(one.name);
      refuse("'", sanitize(name), "': ",
             ends.empty() ? "no option has this name; docs/guide/options.md lists them"
                          : "several options end so; write " + joined(ends, " or "));
    }
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
  options::trim_fills(all);
  auto& size = all.sizes.size;
  if (size.name.starts_with(schedule)) {
    try {
      size = options::function_of(options::read_schedule(size.name), all.sizes.mode);
    } catch (const std::invalid_argument& e) {
      refuse_value("sizes.size.name", sanitize(size.name), e.what());
    }
  }
  return all;
}

std::string to_string(const Options& given) {
  auto value = given;
  if (value.partners.pick == PartnerPick::own) value.partners = {};
  std::erase_if(value.planes, [](const PlaneOptions& plane) { return plane.made; });
  std::string all;
  for (const auto& row : options::rows())
    if (gives(row, value) && options::is_set(row, value))
      all += concat(all.empty() ? "" : ",", row.name, equals, row.text(row, value));
  return all;
}

}  // namespace weir
