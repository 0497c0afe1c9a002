#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/sanitize.hpp"
#include "cli/option_group.hpp"
#include "cli/parse.hpp"
#include "options/option_row.hpp"
#include "source/plane_names.hpp"

namespace weir::cli {
namespace {

MissingPlane parse_missing(std::string_view text) {
  constexpr std::string_view names[] = {"error", "skip", "absent"};
  const auto* const found = std::ranges::find(names, text);
  if (found == std::end(names)) refuse_text("must be one of error|skip|absent");
  return static_cast<MissingPlane>(found - names);
}

/// Calls `set(key, value)` for each key=value behind the first part of `text`, which it returns. A key is
/// one of `keys`.
template <class Set>
std::string read_keys(std::string_view text, const std::vector<std::string>& keys, Set set) {
  const auto parts = split(text, ',');
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto equals = std::min(parts[i].find('='), parts[i].size());
    const std::string key(parts[i].substr(0, equals));
    if (std::ranges::find(keys, key) == keys.end()) {
      const auto near = closest(key, keys);
      refuse_text(fmt::format("'{}' is none of {}{}", sanitize(parts[i]), fmt::join(keys, ", "),
                              !near.empty()               ? "; did you mean " + near + '?'
                              : equals == parts[i].size() ? "; the name of a SOURCE has no comma"
                                                          : ""));
    }
    const auto value = parts[i].substr(std::min(equals + 1, parts[i].size()));
    try {
      set(key, value);
    } catch (const std::invalid_argument& e) {
      refuse_text(fmt::format("{}={} {}", key, sanitize(value), e.what()));
    }
  }
  return std::string(parts[0]);
}

}  // namespace

void check_fill(std::string_view fill, PixelFormat pixels) {
  const auto is_separator = [](char c) { return c == ':' || c == ','; };
  const auto count = 1 + std::ranges::count_if(fill, is_separator);
  const auto channels = channels_of(pixels);
  if (count != 1 && count != channels)
    refuse_text(channels == 1 ? fmt::format("must be one value, because {} has one channel",
                                            to_string(pixels))
                              : fmt::format("must be one value, or {} for the channels of {}",
                                            channels, to_string(pixels)));
}

void add_plane(const std::string& text, Settings& settings) {
  auto& planes = settings.options.planes;
  PlaneSource source{.name = text.substr(0, text.find_first_of("=,"))};
  const auto replaced = std::ranges::find_if(settings.planes, [&](const PlaneSource& other) {
    return other.of_options && other.name == source.name;
  });
  const bool replaces = replaced != settings.planes.end();
  const auto at = static_cast<std::size_t>(replaced - settings.planes.begin());
  auto plane = replaces ? planes[at] : PlaneOptions{.name = source.name};
  std::optional<MissingPlane> missing;
  std::string fill;
  std::vector<std::string> keys{"format", "missing", "optional"};
  if (settings.command != Command::pack)
    keys.insert(keys.begin() + 1, {"filter", "fill", "scale", "match"});
  const auto first = read_keys(text, keys, [&](std::string_view key, std::string_view value) {
    if (key == "missing") return void(missing = parse_missing(value));
    if (key == "fill") fill = value;
    const bool optional = key == "optional";
    if (optional && !value.empty()) refuse_text("takes no value");
    const auto member = key == "format" ? "pixels" : key;
    const auto row = std::ranges::find(options::plane_rows(), member, &options::PlaneRow::name);
    row->read(*row, optional ? "true" : value, plane);
  });
  try {
    check_fill(fill, plane.pixels);
  } catch (const std::invalid_argument& e) {
    refuse_text(fmt::format("fill={} {}", sanitize(fill), e.what()));
  }
  const auto equals = first.find('=');
  if (equals != first.npos) source.from = first.substr(equals + 1);
  if (equals != first.npos && source.from.empty())
    refuse_text("has no SOURCE after =: a folder, a list of files, or an extension as .mask.png");
  std::vector<std::string> names;
  if (!replaces)
    for (const auto& other : planes) names.push_back(other.name);
  if (const auto why = source::not_a_plane(plane.name, names); !why.empty()) refuse_text(why);
  if (missing && source.from.empty())
    refuse_text("missing is for a plane with a SOURCE; write NAME=SOURCE");
  if (missing == MissingPlane::skip && source.is_extension())
    refuse_text("missing=skip is for a folder or a list of files; write optional");
  if (missing == MissingPlane::absent) plane.optional = true;
  source.missing = missing.value_or(plane.optional ? MissingPlane::absent : MissingPlane::error);
  if (replaces) {
    planes[at] = plane;
    *replaced = source;
  } else {
    planes.push_back(plane);
    settings.planes.push_back(source);
  }
}

void add_annotation(const std::string& text, Settings& settings) {
  auto& source = settings.annotation = {};
  source.from = read_keys(text, {"ext", "missing"}, [&](auto key, std::string_view value) {
    if (key == "missing") return void(source.missing = parse_missing(value));
    if (value.empty()) refuse_text("must be an extension");
    source.extension = value.starts_with('.') ? value : '.' + std::string(value);
  });
  if (source.from.empty()) refuse_text("has no SOURCE: a folder, or the extension of a member");
  if (settings.options.annotation_bytes == 0)
    settings.options.annotation_bytes = ByteBound::measured;
}

}  // namespace weir::cli
