#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::shards {

/// The name of a member in two parts: "dog/0001.seg.png" is "dog/0001" and "seg.png".
struct MemberName {
  std::string_view key;        ///< up to the first dot of the last component
  std::string_view extension;  ///< the rest, without the dot
};

/// Empty for a name that belongs to no sample: without a dot in its last component, or with a dot at
/// the beginning of it, as hidden files have.
std::optional<MemberName> split(std::string_view name) noexcept;

/// The extension that an option names, with or without its dot, in any case of letters.
std::string extension_of(std::string_view option);

/// The paths of a pattern: "{a,b}" is each of the words, "{08..11}" each of the numbers with their
/// zeros. A pattern without braces is itself. Throws Error{bad_options} with the pattern and what is
/// wrong: a brace inside of another or without its partner, a range that is none, more than
/// most_paths or most_pattern_bytes.
std::vector<std::string> expand_braces(const std::string& pattern);
inline constexpr std::size_t most_paths = 100'000, most_pattern_bytes = 4096;

}  // namespace weir::shards
