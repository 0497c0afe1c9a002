#include "source/plane_names.hpp"

#include <algorithm>

#include "base/sanitize.hpp"
#include "base/text.hpp"

namespace weir::source {

std::string not_a_plane(const std::string& name, const std::vector<std::string>& names) {
  constexpr std::size_t longest = 32;
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  const auto quoted = '\'' + sanitize(name, 40) + '\'';
  if (name.empty() || name.size() > longest || name.find_first_not_of(allowed) != name.npos)
    return concat(quoted, ": the name of a plane has 1 to ", longest,
                  " characters of a-z, 0-9, '_' and '-'");
  if (name == "image") return quoted + ": this is the name of the image; choose another one";
  if (std::ranges::find(names, name) != names.end())
    return quoted + ": there is a plane of this name; each plane needs its own name";
  if (names.size() >= EncodedPlanes::most)
    return concat(quoted, ": a sample has at most ", EncodedPlanes::most, " planes, and there are ",
                  list_of(names));
  return {};
}

EncodedPlanes::Plane without_plane(ByteSink& sink, std::size_t number, const std::string& plane,
                                   const std::string& file, const SampleError& why) {
  if (sink.may_lack(number, why)) return {};
  throw SampleError(why.kind(), concat("plane ", plane, ": ", file, ": ", why.what()));
}

SampleError fault_of_annotation(const std::string& file, const SampleError& error) {
  return {error.kind(), concat("annotation ", file, ": ", error.what())};
}

std::string list_of(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  return joined(names, ", ", [](const std::string& name) { return sanitize(name); });
}

}  // namespace weir::source
