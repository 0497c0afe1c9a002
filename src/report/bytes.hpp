#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::report {

/// Parses "64MiB", "1.5 GiB", "750kB", "4096". KiB, MiB, GiB, TiB and plain K, M, G, T are powers
/// of 1024; kB, MB, GB, TB are powers of 1000. Case does not matter. A part of a byte is left out:
/// 17.3MiB has 18140364 bytes. Throws std::invalid_argument with the expected form if the text is not
/// a size or exceeds 2^64 - 1.
std::uint64_t parse_bytes(std::string_view text);

/// "0 B", "1023 B", "1.00 KiB", "183.75 MiB". UINT64_MAX, weir's value for no bound, gives "no
/// bound".
std::string human_bytes(std::uint64_t bytes);

/// As human_bytes, with a sign for negative values.
std::string human_difference(std::int64_t bytes);

/// "183.75": for a column whose heading has the unit.
std::string mib_figure(std::uint64_t bytes);
/// "+183.75".
std::string mib_difference(std::int64_t bytes);

/// "2,560".
std::string grouped(std::uint64_t count);

}  // namespace weir::report
