#pragma once

#include <string>
#include <string_view>

#include "weir/source.hpp"

namespace weir::source {

/// 32 hexadecimal digits that identify the data set: of Source::fingerprint() if the source has one,
/// otherwise of the number and the names of the samples. The contents of files do not count.
std::string fingerprint(const AnySource& source);
/// 32 hexadecimal digits that identify the text.
std::string fingerprint_of_text(std::string_view text);

}  // namespace weir::source
