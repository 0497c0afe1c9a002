#pragma once

#include <cstddef>
#include <cstdint>

#include "weir/ledger.hpp"

namespace weir::test::shadow {

/// What this program holds on the heap, by a count of its own: it defines the malloc family, the
/// aligned operator new and mmap, and adds up the bytes that were asked for; of a mapping, which is
/// whole pages, the least that can have been asked for. Any thread.
struct Heap {
  std::uint64_t all = 0;
  std::uint64_t large = 0;  ///< in pieces of at least large_piece
};
/// Text, exceptions and nodes are smaller; what holds a sample that matters is not.
inline constexpr std::size_t large_piece = 1024;

/// The heap and the books at one instant.
struct Instant {
  Heap heap;
  std::uint64_t books = 0;
};
Instant look(const MemoryLedger& ledger) noexcept;

/// How far the heap was above the books and what is not on them, at worst. Never above 0: the claim.
struct Verdict {
  std::uint64_t events = 0;
  std::int64_t worst_all = INT64_MIN, worst_large = INT64_MIN;
};

/// From now on every allocation and every release of the program is held against the books, which
/// must show at least the heap less `fixed`.
///
/// Why this is exact, whatever the other threads do: the accountant's lock is held from before a
/// piece is counted until the books are read. Each piece counted then was charged before it was
/// allocated and cannot be freed, hence not discharged, while the lock is held; so its bytes are in
/// what the books show. Bytes charged for what is not yet allocated only make the books larger. The
/// leaf mutex of the books is taken inside; under it nobody allocates, so the order is safe.
void watch(const MemoryLedger& ledger, const Heap& fixed) noexcept;
/// Compared since watch().
std::uint64_t events() noexcept;
Verdict stop_watching() noexcept;

}  // namespace weir::test::shadow
