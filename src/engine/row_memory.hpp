#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "codec/decoder.hpp"
#include "engine/context.hpp"
#include "engine/row_outcome.hpp"
#include "engine/sample.hpp"

namespace weir::engine {

/// What a thread works in, admitted row by row: bytes are charged before they are allocated, and a
/// sample whose bytes are refused parks. One thread.
class RowMemory {
 public:
  /// Throws std::bad_alloc.
  explicit RowMemory(Shared& shared);

  Sample& sample() noexcept { return *memory_.sample; }
  /// What the board may trim while the thread waits for work.
  WorkerMemory& idle() noexcept { return memory_; }
  /// Of the thread from now on; the sample it had goes back to the board.
  void take_over(SamplePtr next);
  /// Its sample, for another thread.
  SamplePtr hand_over();
  /// The sample waited for bytes and was granted them: the block that lacked them takes them over.
  void take_grant();

  /// A sample whose reads took `bytes` may take that much of max_sample_bytes.
  std::optional<Defect> exceeds(std::uint64_t bytes, Stage stage) const;
  /// Room for `bytes` of the encoded sample. False: refused, and park() is to follow.
  [[nodiscard]] bool admit_encoded(std::uint64_t bytes);
  /// Scratch for a decode: proceeds, parks, or fails where the sample is too large.
  RowOutcome admit(const codec::MemoryNeed& need);
  std::span<std::byte> scratch(std::uint64_t bytes) noexcept {
    return memory_.scratch.first(bytes);
  }
  /// The board keeps the sample until its bytes are granted.
  RowOutcome park();
  /// The row has ended or failed: what was of the reserve goes back, and what others wait for.
  void release() noexcept;

 private:
  bool ensure(buffer::Block& block, std::uint64_t bytes, std::uint64_t beside);

  Shared& shared_;
  books::Book& book_;
  WorkerMemory memory_;
};

}  // namespace weir::engine
