#pragma once

#include <cstdint>
#include <string>

namespace weir::report {

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
