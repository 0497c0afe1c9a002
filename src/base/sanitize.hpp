#pragma once

#include <string>
#include <string_view>

namespace weir {

/// Makes a name safe for a terminal, a log line, JSON and a message. Control characters, bytes that are not UTF-8 and
/// backticks, which mark options in messages, become \xHH. At most `limit` bytes of input are shown; "…" marks
/// a cut.
std::string sanitize(std::string_view name, std::size_t limit = 512);
/// The same for a whole message, which keeps its backticks.
std::string sanitize_message(std::string_view text, std::size_t limit = 512);
/// A value in a message, as the user typed it. In quotes if it is empty or could be misread.
std::string as_typed(std::string_view value);
/// Quotes UTF-8 text for JSON.
std::string json_text(std::string_view text);

}  // namespace weir
