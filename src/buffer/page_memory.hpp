#pragma once

#include "weir/memory.hpp"

namespace weir::buffer {

/// What slabs, encoded bytes and scratch come from where the user gives nothing else. malloc would
/// keep freed blocks of their size in the arena of whichever thread asked; pages go back, so that
/// RSS follows the books.
PageMemory& page_memory() noexcept;

}  // namespace weir::buffer
