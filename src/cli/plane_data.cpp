#include "cli/plane_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/sanitize.hpp"
#include "base/terms.hpp"
#include "base/text_file.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/parse.hpp"
#include "cli/shards.hpp"
#include "report/stats_text.hpp"
#include "source/plane_names.hpp"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

std::string option_of(const PlaneSource& plane) {
  return plane.from.empty() ? "--plane " + plane.name
                            : "--plane " + as_typed(plane.name + '=' + plane.from);
}

/// The files of a list, relative to its folder. An empty line is an empty path.
std::vector<std::string> read_list(const std::string& list) {
  const auto text = read_text_file(list, most_list_bytes);
  auto lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  std::vector<std::string> paths;
  for (auto line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    paths.push_back(line.empty() ? std::string()
                                 : (fs::path(list).parent_path() / fs::path(line)).string());
  }
  return paths;
}

AnySource with_plane(AnySource samples, const PlaneSource& plane, const Settings& settings) {
  const auto missing = settings.command == Command::probe && plane.missing == MissingPlane::error
                           ? MissingPlane::absent
                           : plane.missing;
  if (!fs::is_directory(plane.from))
    return weir::with_plane(std::move(samples), plane.name, read_list(plane.from), missing);
  const FolderOptions options{.max_encoded_bytes = settings.options.limits.max_encoded_bytes,
                              .follow_symlinks = settings.follow_symlinks};
  return weir::with_plane(std::move(samples), plane.name, image_folder(plane.from, options),
                          missing);
}

}  // namespace

AnySource with_planes(AnySource source, const Settings& settings, PlaneFiles files) {
  for (const auto& plane : settings.planes) {
    const bool is_folder = fs::is_directory(plane.from);
    if (plane.from.empty() || plane.is_extension() || is_folder != (files == PlaneFiles::folder))
      continue;
    if (!fs::exists(plane.from))
      throw Error(Errc::source_failed, Stage::read,
                  option_of(plane) + ": no such folder or list of files");
    const auto all = source.size();
    try {
      source = with_plane(std::move(source), plane, settings);
    } catch (const Error& e) {
      auto text = plain_text(e);
      const auto begin = fmt::format("with_plane: plane {}: ", plane.name);
      if (text.starts_with(begin)) text.erase(0, begin.size());
      throw Error(static_cast<Errc>(e.code().value()), e.stage(), option_of(plane) + ": " + text);
    }
    if (const auto left_out = all - source.size(); left_out > 0)
      hint(settings, fmt::format("hint: {} leaves out {} without it", option_of(plane),
                                 report::plural(left_out, "sample")));
  }
  return source;
}

AnySource with_annotation(AnySource source, const Settings& settings) {
  const auto& [from, extension, missing] = settings.annotation;
  if (from.empty() || is_shards(settings)) return source;
  const auto all = source.size();
  try {
    source = with_annotations(std::move(source), from, extension, missing);
  } catch (const Error& e) {
    auto text = plain_text(e);
    constexpr std::string_view begin = "with_annotations: ";
    if (text.starts_with(begin)) text.erase(0, begin.size());
    constexpr std::string_view value = "MissingPlane::";
    for (std::size_t at = 0; (at = text.find(value, at)) != text.npos;)
      text.replace(at, value.size(), "missing=");
    throw Error(static_cast<Errc>(e.code().value()), e.stage(),
                "--annotation " + as_typed(from) + ": " + text);
  }
  if (const auto left_out = all - source.size(); left_out > 0)
    hint(settings, fmt::format("hint: --annotation {} leaves out {} without it", as_typed(from),
                               report::plural(left_out, "sample")));
  return source;
}

void check_planes(const AnySource& source, const Settings& settings) {
  const auto offered = source.planes();
  for (const auto& [name, from, missing] : settings.planes) {
    if (std::ranges::find(offered, name) != offered.end()) continue;
    const auto has = offered.empty() ? "no planes" : "the planes " + source::list_of(offered);
    const auto way = is_shards(settings)
                         ? fmt::format("write --plane {}=.EXTENSION of its member", name)
                         : std::string("name its column in a manifest");
    throw Error(Errc::bad_options, Stage::read,
                fmt::format("--plane {0}: {1} has {2}; {3}, or write --plane {0}=FOLDER", name,
                            as_typed(settings.data), has, way));
  }
}

}  // namespace weir::cli
