#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "books/row_key.hpp"
#include "weir/ledger.hpp"

namespace weir::books {

enum class SlabState : std::uint8_t { absent, idle, filling, ready, leased };
inline constexpr std::size_t slab_states = 5;

/// What a page records about one slab.
struct SlabRecord {
  SlabState state = SlabState::absent;
  SlabId next_idle = no_slab;  ///< only if idle
  std::uint64_t bytes = 0;     ///< valid unless the slab is absent
  std::uint64_t stream = 0;    ///< the stream that filled it last
  std::optional<HeldLease> lease{};
};

}  // namespace weir::books
