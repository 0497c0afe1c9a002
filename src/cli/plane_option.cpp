#include "cli/plane_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sanitize.hpp"
#include "cli/option_group.hpp"
#include "cli/parse.hpp"
#include "options/option_row.hpp"
#include "source/plane_names.hpp"

namespace weir::cli {
namespace {

const std::vector<std::string> all_keys{"format", "filter",  "fill",    "scale",
                                        "match",  "missing", "optional"};
const std::vector<std::string> pack_keys{"format", "missing", "optional"};

MissingPlane parse_missing(std::string_view text) {
  if (text == "error") return MissingPlane::error;
  if (text == "skip") return MissingPlane::skip;
  if (text == "absent") return MissingPlane::absent;
  refuse_value("must be one of error|skip|absent");
}

/// A plane, and what is checked once all of it is known.
struct Typed {
  PlaneOptions plane{};
  PlaneSource source{};
  std::vector<std::uint16_t> fill{};
  std::optional<MissingPlane> missing{};
};

void set(Typed& typed, std::string_view key, std::string_view value) {
  auto& plane = typed.plane;
  if (key == "fill") typed.fill = parse_fill(value, ':');
  if (key == "missing") typed.missing = parse_missing(value);
  if (key == "fill" || key == "missing") return;
  const auto member = key == "format" ? "pixels" : key;
  const auto row = std::ranges::find(options::plane_rows(), member, &options::PlaneRow::name);
  row->read(*row, value, plane);
}

void set(Typed& typed, std::string_view part, const std::vector<std::string>& keys) {
  const auto equals = part.find('=');
  const std::string key(part.substr(0, equals));
  if (part == "optional") {
    typed.plane.optional = true;
    return;
  }
  const auto is_in = [&](const auto& list) { return std::ranges::find(list, key) != list.end(); };
  if (is_in(all_keys) && !is_in(keys))
    refuse_value(fmt::format("{} is for the rows of a batch; weir pack takes {}", key,
                             fmt::join(keys, ", ")));
  if (!is_in(keys)) {
    const auto near = closest(key, keys);
    refuse_value(fmt::format(
        "'{}' is none of {}{}", sanitize(part), fmt::join(keys, ", "),
        near.empty() ? "; the name of a SOURCE has no comma" : "; did you mean " + near + '?'));
  }
  if (key == "optional") refuse_value("optional takes no value");
  const auto value = equals == part.npos ? std::string_view() : part.substr(equals + 1);
  try {
    set(typed, key, value);
  } catch (const std::invalid_argument& e) {
    refuse_value(fmt::format("{}={} {}", key, sanitize(value), e.what()));
  }
}

void check(const Typed& typed, const Settings& settings) {
  const auto& plane = typed.plane;
  std::vector<std::string> names;
  for (const auto& other : settings.options.planes) names.push_back(other.name);
  if (const auto why = source::not_a_plane(plane.name, names); !why.empty()) refuse_value(why);
  const bool nearest = plane.filter == Filter::nearest;
  if (plane.filter != Filter::automatic && nearest != is_stored(plane.pixels))
    refuse_value(fmt::format("format={} takes {}; leave filter out", to_string(plane.pixels),
                             nearest ? "bilinear or antialiased" : "nearest alone"));
  if (typed.missing && typed.source.from.empty())
    refuse_value("missing is for a plane with a SOURCE; write NAME=SOURCE");
  if (typed.missing == MissingPlane::skip && typed.source.is_extension())
    refuse_value("missing=skip is for a folder or a list of files; write optional");
}

}  // namespace

Fill fill_of(std::span<const std::uint16_t> values, PixelFormat format) {
  const std::size_t channels = channels_of(format);
  const auto most = value_bytes(format) == 1 ? UINT8_MAX : UINT16_MAX;
  if (values.size() > 1 && values.size() != channels)
    refuse_value(fmt::format("must have one value{}; {} has {} channel{}",
                             channels > 1 ? fmt::format(", or {}", channels) : "",
                             to_string(format), channels, channels > 1 ? "s" : ""));
  Fill fill{};
  for (std::size_t i = 0; i < channels && !values.empty(); ++i) {
    fill[i] = values[values.size() == 1 ? 0 : i];
    if (fill[i] > most)
      refuse_value(fmt::format("must be 0 to {} for {}", most, to_string(format)));
  }
  return fill;
}

void add_plane(const std::string& text, Settings& settings, Command command) {
  const auto parts = split(text, ',');
  const auto equals = parts[0].find('=');
  Typed typed;
  auto& [plane, source, fill, missing] = typed;
  plane.name = source.name = parts[0].substr(0, equals);
  if (equals != std::string_view::npos) {
    source.from = parts[0].substr(equals + 1);
    if (source.from.empty())
      refuse_value(
          "has no SOURCE after =: a folder, a list of files, or an extension as .mask.png");
  }
  for (std::size_t i = 1; i < parts.size(); ++i)
    set(typed, parts[i], command == Command::pack ? pack_keys : all_keys);
  check(typed, settings);
  try {
    plane.fill = fill_of(fill, plane.pixels);
  } catch (const std::invalid_argument& e) {
    refuse_value(fmt::format("fill={} {}", fmt::join(fill, ":"), e.what()));
  }
  source.missing = missing.value_or(plane.optional ? MissingPlane::absent : MissingPlane::error);
  settings.options.planes.push_back(plane);
  settings.planes.push_back(source);
}

void add_annotation(const std::string& text, Settings& settings) {
  const auto parts = split(text, ',');
  auto& source = settings.annotation = {};
  source.from = parts[0];
  if (source.from.empty()) refuse_value("has no SOURCE: a folder, or the extension of a member");
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto equals = std::min(parts[i].find('='), parts[i].size());
    const auto key = parts[i].substr(0, equals);
    const auto value = parts[i].substr(std::min(equals + 1, parts[i].size()));
    if (key == "missing")
      source.missing = parse_missing(value);
    else if (key == "ext" && !value.empty())
      source.extension = value.starts_with('.') ? value : '.' + std::string(value);
    else
      refuse_value(
          fmt::format("'{}' must be ext=.EXT or missing=error|skip|absent", sanitize(parts[i])));
  }
  if (settings.options.annotation_bytes == 0)
    settings.options.annotation_bytes = ByteBound::measured;
}

}  // namespace weir::cli
