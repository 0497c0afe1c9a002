#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace weir {

/// The most bytes of a list of names or of a manifest.
inline constexpr std::uint64_t most_list_bytes = 1ull << 30;

/// How many threads are in read_text_file(). A pipe without a writer keeps them there, so the program lets a
/// signal end it then.
inline std::atomic<int> texts_being_read{0};

/// Reads a text file, a pipe or a device to its end. Throws Error{source_failed} with the path if it
/// cannot be read, has more than `most_bytes` or has a NUL byte, which no text has.
std::string read_text_file(const std::string& path, std::uint64_t most_bytes);

}  // namespace weir
