#pragma once

#include <string>
#include <string_view>

namespace weir {

/// Makes text safe for a terminal, a log line and JSON. Control bytes and bytes that are not UTF-8
/// become \xHH. At most `limit` bytes of input are shown; "…" marks a cut.
std::string sanitize(std::string_view text, std::size_t limit = 512);
/// A value in a message, as the user typed it. In quotes if it is empty or could be misread.
std::string as_typed(std::string_view value);
/// Quotes UTF-8 text for JSON.
std::string json_text(std::string_view text);

}  // namespace weir
