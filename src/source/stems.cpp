#include "source/stems.hpp"

#include <algorithm>

namespace weir::source {
namespace {

/// The characters of the folders of a path, with the last '/'.
std::string_view folders_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return path.substr(0, slash == path.npos ? 0 : slash + 1);
}

}  // namespace

Stems::Stems(const AnySource& source, Folders folders) : source_(source) {
  if (folders == Folders::all || source.size() == 0) return;
  const auto first = source.name(0);
  auto common = folders_of(first);
  for (std::uint64_t i = 1; i < source.size() && !common.empty(); ++i) {
    const auto name = source.name(i);
    const auto same = std::ranges::mismatch(common, name).in1 - common.begin();
    common = folders_of(common.substr(0, static_cast<std::size_t>(same)));
  }
  left_out_ = common.size();
}

std::string Stems::operator[](std::uint64_t i) const {
  auto stem = source_.name(i).substr(left_out_);
  const auto file = folders_of(stem).size();
  // A dot that begins the name of a file begins no extension.
  if (const auto dot = stem.rfind('.'); dot != stem.npos && dot > file) stem.resize(dot);
  return stem;
}

}  // namespace weir::source
