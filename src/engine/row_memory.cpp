#include "engine/row_memory.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/checked.hpp"

namespace weir::engine {

RowMemory::RowMemory(Shared& shared) : shared_(shared), book_(*shared.core.book), memory_(book_) {
  memory_.sample = shared.work_queue.fresh_sample();
}

void RowMemory::take_over(SamplePtr next) {
  shared_.work_queue.recycle(std::exchange(memory_.sample, std::move(next)));
}

SamplePtr RowMemory::hand_over() {
  auto next = shared_.work_queue.fresh_sample();
  return std::exchange(memory_.sample, std::move(next));
}

void RowMemory::take_grant() {
  Sample& s = sample();
  const auto granted = std::exchange(s.granted, {});
  try {
    (s.account == Account::encoded ? s.encoded : memory_.scratch).adopt(granted, s.beside);
  } catch (const std::bad_alloc&) {
    // The block is empty again. ensure() will fail in the same way and report a fault.
  }
}

std::optional<Defect> RowMemory::exceeds(std::uint64_t bytes, Stage stage) const {
  return too_large(bytes, shared_.core.plan.max_sample_bytes, stage);
}

bool RowMemory::admit_encoded(std::uint64_t bytes) { return ensure(sample().encoded, bytes, 0); }

bool RowMemory::admit_many_parts(std::uint64_t bytes) {
  return admit_encoded(std::min(mul_sat(bytes, 2), shared_.core.plan.max_sample_bytes));
}

bool RowMemory::keeps_scratch_out() noexcept {
  const Sample& s = sample();
  return s.encoded.reserve() && s.encoded.size() > s.charged;
}

RowOutcome RowMemory::admit(const codec::MemoryNeed& need) {
  const auto wanted = add_sat(sample().charged, add_sat(need.scratch, need.reserved));
  if (auto defect = exceeds(wanted, Stage::wait)) return *std::move(defect);
  if (!ensure(memory_.scratch, need.scratch, need.reserved)) return park();
  return RowOutcome::proceed;
}

bool RowMemory::ensure(buffer::Block& block, std::uint64_t bytes, std::uint64_t beside) {
  Sample& s = sample();
  if (block.ensure(bytes, beside, s.row, nullptr)) return true;
  // Free unused blocks before waiting.
  if (&block != &memory_.scratch) memory_.scratch.trim();
  shared_.work_queue.trim_idle();
  book_.make_room(s.row, block.account(), add_sat(bytes, beside));
  if (!memory_.spare) memory_.spare = shared_.work_queue.fresh_sample();
  s.beside = beside;
  return block.ensure(bytes, beside, s.row, &s);
}

RowOutcome RowMemory::park() {
  sample().parked_at = Clock::now();
  shared_.work_queue.park(std::exchange(memory_.sample, std::move(memory_.spare)));
  return RowOutcome::parked;
}

void RowMemory::release() noexcept {
  if (memory_.scratch.reserve() || book_.someone_waits()) memory_.scratch.trim();
  if (sample().encoded.reserve() || book_.someone_waits()) sample().encoded.trim();
  sample().kept.release();
}

}  // namespace weir::engine
