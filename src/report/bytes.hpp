#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::report {

/// "64MiB", "1.5 GiB", "750kB", "4096". KiB, MiB, GiB, TiB and plain K, M, G, T are powers of 1024;
/// kB, MB, GB, TB powers of 1000; case does not matter. Throws std::invalid_argument naming the
/// text and what was expected where it is no such size, is not a whole byte, or passes 2^64 - 1.
std::uint64_t parse_bytes(std::string_view text);

/// "0 B", "1023 B", "1.00 KiB", "183.75 MiB". UINT64_MAX, which stands for "no bound" everywhere in
/// weir, is "no bound".
std::string human_bytes(std::uint64_t bytes);

/// As human_bytes, with a sign for what is below zero.
std::string human_difference(std::int64_t bytes);

/// "183.75" with two decimals: mebibytes without the unit.
std::string mebibytes(std::uint64_t bytes, int decimals = 2);

/// "2,560".
std::string grouped(std::uint64_t count);

}  // namespace weir::report
