#pragma once

#include <string>
#include <string_view>

namespace weir {

/// Text fit for a terminal, a log line and JSON: control bytes and bytes that are not UTF-8 come
/// out as \xHH; at most `limit` bytes of input are shown, with "…" behind a cut.
std::string sanitize(std::string_view text, std::size_t limit = 512);

}  // namespace weir
