#pragma once

#include <algorithm>
#include <cstdint>

#include "base/grown.hpp"
#include "weir/plan.hpp"

namespace weir::plan {

/// Encoded and scratch bytes of a photograph of about half a megapixel. The plan assumes this much
/// per worker when it fits the queue into the budget.
inline constexpr std::uint64_t typical_arena_bytes = 1ull << 20;
/// Pixel bytes of that photograph, for transforms of whole images.
inline constexpr std::uint64_t typical_image_bytes = 3ull << 19;

/// Upper bounds of the memory that weir keeps for each thread besides arenas and its stack:
/// histograms, samples, a decoder. The engine checks them.
inline constexpr std::uint64_t worker_record_bytes = 64u << 10, reader_record_bytes = 8u << 10;
/// The same for each of Options::partners and each thread.
inline constexpr std::uint64_t partner_record_bytes = 12u << 10;
constexpr std::uint64_t thread_record_bytes(std::uint64_t workers, std::uint64_t readers,
                                            std::uint32_t partners) noexcept {
  return workers * worker_record_bytes + readers * reader_record_bytes +
         (workers + readers) * partners * partner_record_bytes;
}

/// Bytes that weir keeps for each slab of a loader besides the slab: the records of the books, the
/// pool and the stats. `rows`: of a batch. `vary`: slabs have their own layouts.
std::uint64_t slab_record_bytes(std::uint32_t rows, bool vary);
/// The slabs whose records are in Plan::record_bytes.
constexpr std::uint32_t recorded_slabs(std::uint32_t max_leases, std::uint32_t slabs) noexcept {
  return Grown<int>::capacity_for(1 + max_leases, slabs);
}
/// The rows of the largest batch of so many positions, or asked of so many samples. Both 0: unknown.
constexpr std::uint32_t most_rows(std::uint32_t batch, std::uint64_t positions,
                                  std::uint64_t samples) noexcept {
  const auto most = std::max(positions, samples);
  return most == 0 ? batch : static_cast<std::uint32_t>(std::min<std::uint64_t>(batch, most));
}

/// Assumed bytes per worker for this plan. No sample needs more than max_sample_bytes.
std::uint64_t typical_arena(const Plan& plan);
/// Assumed bytes per read ahead.
std::uint64_t typical_read(const Plan& plan);

}  // namespace weir::plan
