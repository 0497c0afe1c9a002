#pragma once

#include <cstdint>
#include <string>

#include "weir/source.hpp"

namespace weir::source {

/// Which folders of a name its stem has.
enum class Folders : std::uint8_t {
  all,
  differing,  ///< without those that all names of the source begin with
};
/// In this order. The second is for names that begin at other folders, as absolute paths do. It must
/// not come first: it depends on which samples the source has.
inline constexpr Folders each_folders[] = {Folders::all, Folders::differing};

/// The stems of a source's names: without the extension. Asks for every name once. Refers to the
/// source. Any thread.
class Stems {
 public:
  Stems(const AnySource& source, Folders folders);
  std::string operator[](std::uint64_t i) const;

 private:
  const AnySource& source_;
  std::size_t left_out_ = 0;  ///< characters of the common folders, with the last '/'
};

}  // namespace weir::source
