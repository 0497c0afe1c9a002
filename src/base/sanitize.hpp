#pragma once

#include <string>
#include <string_view>

namespace weir {

/// Makes text safe for a terminal, a log line and JSON. Control bytes and bytes that are not UTF-8
/// become \xHH. At most `limit` bytes of input are shown; "…" marks a cut.
std::string sanitize(std::string_view text, std::size_t limit = 512);
/// Quotes UTF-8 text for JSON.
std::string json_text(std::string_view text);

}  // namespace weir
