#pragma once

#include <cstdint>
#include <utility>

#include "proof/shadow/accountant.hpp"
#include "weir/weir.hpp"

namespace weir::test::shadow {

/// What is alive beside the books while a stream runs, none of it growing with the data:
///   the loader, its options, plan, source, table of slabs and page of the books
///   the engine: strand and its io_context, board, a Sample for each that can be under way
///   a decoder a worker, with libjpeg's struct
///   what glibc keeps for a thread; OpenCV's and the C++ runtime's per-thread state
///   the fault log, which keeps the first 1000
///   this program: the test's own data, Catch2
/// It is measured: run() first takes the loader, with this very stream, through samples that leave
/// no reservation behind (no WebP, nothing resized) and no mapped pages and, where faults will come, through enough of
/// them to fill the log; at rest then, fixed = heap - books.
struct Ran {
  Heap fixed;
  Verdict verdict;             ///< of what came after
  std::uint64_t rests = 0;     ///< how often heap and books were compared at rest
  std::uint64_t apart = 0;     ///< most that books showed beyond heap and fixed at rest
  std::uint64_t short_by = 0;  ///< most that they showed less
  std::uint64_t heap_before = 0, heap_after = 0, books_after = 0;  ///< around the loader's life
  std::uint64_t budget = 0, peak = 0;
};

enum class Data : std::uint8_t {
  plain,   ///< JPEG and progressive JPEG of the output's size: no reservation, no pages
  folder,  ///< the same, in files
  mixed,   ///< everything, resized, broken and hopeless files included
};

struct Load {
  Data data = Data::plain;
  std::uint32_t workers = 3, read_ahead = 0, max_queue_size = 6;
  std::uint64_t spare = 0;        ///< budget above the floor
  std::uint64_t events = 20'000;  ///< run at least until so many were compared
};

Ran run(const Load& load);

/// What may be on the heap for a moment beside all that, in bytes: for each thread an exception on
/// its way (the refusal of a sink is one: 128 bytes of the C++ runtime and its object), with `mixed`
/// data also the words of a fault; for each worker that resized, OpenCV's state of a thread. All of
/// it comes in pieces under large_piece: in larger ones there is no allowance.
std::uint64_t passing_bytes(const Load& load);

/// Heap bytes that a folder source of 64 files holds, and what its index_bytes() says.
std::pair<std::uint64_t, std::uint64_t> folder_index();

/// Checks what the accountant found, and that the loader left nothing behind.
void check(const Load& load, const Ran& ran);

}  // namespace weir::test::shadow
