#pragma once

#include <cstdint>
#include <string>

#include "weir/source.hpp"

namespace weir::source {

/// The stems of a source's names: without the extension, and without the folders that all names
/// begin with. Asks for every name once. Refers to the source. Any thread.
class Stems {
 public:
  explicit Stems(const AnySource& source);
  std::string operator[](std::uint64_t i) const;

 private:
  const AnySource& source_;
  std::size_t folders_ = 0;  ///< characters of the common folders, with the last '/'
};

}  // namespace weir::source
