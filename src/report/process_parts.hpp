#pragma once

#include <iosfwd>

#include "weir/report.hpp"

namespace weir::report {

/// Reads the lines of proc(5)'s smaps. `page_size`: of a thread's guard page; heap_free is left 0.
ProcessParts parts_of(std::istream& smaps, std::uint64_t page_size);

}  // namespace weir::report
