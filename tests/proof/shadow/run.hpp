#pragma once

#include <cstdint>
#include <utility>

#include "proof/shadow/accountant.hpp"
#include "weir/weir.hpp"

namespace weir::test::shadow {

/// Memory beside the books while a stream runs. None of it grows with the data:
///   the loader, its options, plan, source, table of slabs and page of the books
///   the engine: strand, board, a Sample for each that can be under way
///   a decoder for each worker, with libjpeg's struct
///   glibc's memory for each thread; OpenCV's and the C++ runtime's per-thread state
///   the fault log, which keeps the first 1000
///   this program: the test's own data, Catch2
/// It is measured: first, run() takes the loader, with this very stream, through samples that leave
/// no reservation (no WebP, no resizing) and no mapped pages. If faults follow, there are enough of
/// them to fill the log. When the stream has settled, fixed = heap - books.
struct Ran {
  Heap fixed;
  Verdict verdict;             ///< of the rest of the run
  std::uint64_t rests = 0;     ///< number of comparisons after settling
  std::uint64_t apart = 0;     ///< the most that the books then showed above heap and fixed
  std::uint64_t short_by = 0;  ///< the most that they showed below
  std::uint64_t heap_before = 0, heap_after = 0, books_after = 0;  ///< around the loader's life
  std::uint64_t budget = 0, peak = 0;
};

enum class Data : std::uint8_t {
  plain,   ///< JPEG and progressive JPEG of the output's size: no reservation, no pages
  folder,  ///< the same, in files
  planes,  ///< plain, each with a plane, or without one, and an annotation
  mixed,   ///< everything, resized, broken and hopeless files included
};

struct Load {
  Data data = Data::plain;
  std::uint32_t workers = 3, read_ahead = 0, max_queue_size = 6;
  std::uint64_t spare = 0;        ///< budget beyond the floor
  std::uint64_t events = 20'000;  ///< run at least until this many comparisons
};

Ran run(const Load& load);

/// The largest heap memory for a moment beside all that, in bytes. Each thread may have an
/// exception in flight. The refusal of a sink is one: 128 bytes of the C++ runtime and its object.
/// `mixed` data also have the text of a fault. Each worker that resized has OpenCV's state of a
/// thread. All of these are blocks below large_piece. Larger ones have no allowance.
std::uint64_t passing_bytes(const Load& load);

/// The heap bytes of a folder source of 64 files, and its index_bytes().
std::pair<std::uint64_t, std::uint64_t> folder_index();

/// Checks the accountant's findings, and that the loader left nothing behind.
void check(const Load& load, const Ran& ran);

}  // namespace weir::test::shadow
