#pragma once

namespace weir {

/// A number that a child of fork() has another one of. 0 everywhere: nobody can fork.
long process_id() noexcept;

}  // namespace weir
