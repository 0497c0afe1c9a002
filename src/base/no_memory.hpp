#pragma once

namespace weir {

/// The reason of a Fault of kind `memory` where the allocator refused.
inline constexpr auto no_memory = "the allocator has no memory for this sample";

}  // namespace weir
