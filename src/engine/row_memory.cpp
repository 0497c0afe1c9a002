#include "engine/row_memory.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/checked.hpp"

namespace weir::engine {

RowMemory::RowMemory(Shared& shared) : shared_(shared), memory_(*shared.loader.book) {
  memory_.row = shared.work_queue.fresh_row();
}

void RowMemory::take_over(RowPtr next) {
  shared_.work_queue.recycle(std::exchange(memory_.row, std::move(next)));
}

RowPtr RowMemory::hand_over() {
  auto next = shared_.work_queue.fresh_row();
  return std::exchange(memory_.row, std::move(next));
}

void RowMemory::take_grant() {
  Row& waiting = row();
  const auto granted = std::exchange(waiting.granted, {});
  try {
    (waiting.account == Account::encoded ? waiting.encoded : memory_.scratch)
        .adopt(granted, waiting.beside);
  } catch (const std::bad_alloc&) {
    // The block is empty again. ensure() will fail in the same way and report a fault.
  }
}

std::optional<Defect> RowMemory::exceeds(std::uint64_t bytes, Stage stage) const {
  return too_large(bytes, shared_.loader.plan.max_sample_bytes, stage);
}

bool RowMemory::admit_encoded(std::uint64_t bytes) { return ensure(row().encoded, bytes, 0); }

bool RowMemory::admit_many_parts(std::uint64_t bytes) {
  return admit_encoded(std::min(mul_sat(bytes, 2), shared_.loader.plan.max_sample_bytes));
}

bool RowMemory::keeps_scratch_out() noexcept {
  const Row& waiting = row();
  return waiting.encoded.reserve() && waiting.encoded.size() > waiting.used;
}

RowOutcome RowMemory::admit(const codec::MemoryNeed& need) {
  const auto wanted = add_sat(row().charged, add_sat(need.scratch, need.reserved));
  if (auto defect = exceeds(wanted, Stage::wait)) return *std::move(defect);
  if (!ensure(memory_.scratch, need.scratch, need.reserved)) return park();
  return RowOutcome::proceed;
}

std::span<std::byte> RowMemory::try_scratch(std::uint64_t bytes) noexcept {
  if (add_sat(row().charged, bytes) > shared_.loader.plan.max_sample_bytes) return {};
  try {
    if (!memory_.scratch.ensure(bytes, 0, row().row, nullptr)) return {};
  } catch (const std::bad_alloc&) {
    return {};
  }
  return memory_.scratch.first(bytes);
}

bool RowMemory::ensure(buffer::Block& block, std::uint64_t bytes, std::uint64_t beside) {
  return block.ensure(bytes, beside, row().row, nullptr) || ensure_or_wait(block, bytes, beside);
}

bool RowMemory::ensure_or_wait(buffer::Block& block, std::uint64_t bytes, std::uint64_t beside) {
  Row& waiting = row();
  if (&block != &memory_.scratch) memory_.scratch.trim();
  shared_.work_queue.trim_idle();
  waiting.budget.make_room(books::Claim{waiting.row, block.account(), add_sat(bytes, beside)});
  if (!memory_.spare) memory_.spare = shared_.work_queue.fresh_row();
  waiting.beside = beside;
  return block.ensure(bytes, beside, waiting.row, &waiting);
}

RowOutcome RowMemory::park() {
  row().parked_at = Clock::now();
  shared_.work_queue.park(std::exchange(memory_.row, std::move(memory_.spare)));
  return RowOutcome::parked;
}

void RowMemory::release() noexcept {
  const bool wanted = row().budget.someone_waits();
  if (memory_.scratch.reserve() || wanted) memory_.scratch.trim();
  if (row().encoded.reserve() || wanted) row().encoded.trim();
  row().release_kept();
}

}  // namespace weir::engine
