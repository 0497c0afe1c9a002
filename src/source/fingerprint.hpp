#pragma once

#include <string>

#include "weir/source.hpp"

namespace weir::source {

/// 32 hexadecimal digits that identify the data set: of Source::fingerprint() if the source has one,
/// otherwise of the number and the names of the samples. The contents of files do not count.
std::string fingerprint(const AnySource& source);

}  // namespace weir::source
