#pragma once

#include <cstddef>
#include <cstdint>

#include "weir/ledger.hpp"

namespace weir::test::shadow {

/// The heap of this program, counted independently. The accountant defines the malloc family, the
/// aligned operator new and mmap, and adds up the requested bytes. A mapping consists of whole
/// pages, so it counts the smallest possible request. Any thread.
struct Heap {
  std::uint64_t all = 0;
  std::uint64_t large = 0;  ///< in blocks of at least large_piece
};
/// Text, exceptions and nodes are smaller. Memory of samples is larger.
inline constexpr std::size_t large_piece = 1024;

/// The heap and the books at one instant.
struct Instant {
  Heap heap;
  std::uint64_t books = 0;
};
Instant look(const MemoryLedger& ledger) noexcept;

/// The largest excess of the heap over the books and the memory beside them. The guarantee is that
/// it is never above 0.
struct Verdict {
  std::uint64_t events = 0;
  std::int64_t worst_all = INT64_MIN, worst_large = INT64_MIN;
};

/// Starts to compare every allocation and every release of the program with the books, which must
/// show at least the heap less `fixed`.
///
/// This is exact, whatever the other threads do. The accountant's lock is held from before a block
/// is counted until the books are read. Each counted block was charged before it was allocated. It
/// cannot be freed, hence not discharged, while the lock is held. So its bytes are in the books.
/// Bytes charged for later allocations only make the books larger. The leaf mutex of the books is
/// taken inside this lock. No thread allocates under the leaf mutex, so the order is safe.
void watch(const MemoryLedger& ledger, const Heap& fixed) noexcept;
/// The number of comparisons since watch().
std::uint64_t events() noexcept;
Verdict stop_watching() noexcept;

}  // namespace weir::test::shadow
