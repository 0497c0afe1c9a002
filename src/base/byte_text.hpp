#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// Parses "64MiB", "1.5 GiB", "750kB", "4096". KiB, MiB, GiB, TiB and plain K, M, G, T are powers
/// of 1024; kB, MB, GB, TB are powers of 1000. Case does not matter. A part of a byte is left out:
/// 17.3MiB has 18140364 bytes. Throws std::invalid_argument with the expected form if the text is not
/// a size or exceeds 2^64 - 1.
std::uint64_t parse_bytes(std::string_view text);

/// What parse_bytes() reads as `bytes`: "64MiB", "750000".
std::string byte_text(std::uint64_t bytes);

}  // namespace weir
