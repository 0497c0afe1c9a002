#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "codec/decoder.hpp"
#include "engine/context.hpp"
#include "engine/row.hpp"
#include "engine/row_outcome.hpp"

namespace weir::engine {

/// The memory of one thread, admitted row by row. Bytes are charged before they are allocated. A
/// sample whose bytes are refused parks. Not thread-safe.
class RowMemory {
 public:
  /// Throws std::bad_alloc.
  explicit RowMemory(Shared& shared);

  Row& row() noexcept { return *memory_.row; }
  /// The memory that the work queue may trim while the thread is idle.
  WorkerMemory& idle() noexcept { return memory_; }
  /// Makes `next` the thread's sample. The previous sample returns to the work queue.
  void take_over(RowPtr next);
  /// Returns the thread's sample, for another thread.
  RowPtr hand_over();
  /// The same, where the thread needs none any more.
  RowPtr give_up() noexcept { return std::move(memory_.row); }
  /// The sample waited for bytes and was granted them. The block that needed them takes them over.
  void take_grant();

  /// The defect of a sample that needs `bytes`, if that is above max_sample_bytes.
  std::optional<Defect> exceeds(std::uint64_t bytes, Stage stage) const;
  /// Makes room for `bytes` of the encoded samples. False if refused: then call park().
  [[nodiscard]] bool admit_encoded(std::uint64_t bytes);
  /// The same for a row in many parts, which loses its earlier parts. It makes room for twice as
  /// much, within max_sample_bytes, so that such a row is read again only a few times.
  [[nodiscard]] bool admit_many_parts(std::uint64_t bytes);
  /// Whether the row, which has been read, holds bytes of the reserve that it does not need and
  /// its scratch may. Only admit_many_parts() causes that.
  bool keeps_scratch_out() noexcept;
  /// Admits the scratch of a decode. Proceeds, parks, or fails if the sample is too large.
  RowOutcome admit(const codec::MemoryNeed& need);
  /// Scratch in place of that of the decode, for work that may be left out. Empty if its bytes are
  /// refused, or if with it the sample would be above max_sample_bytes. Never waits.
  std::span<std::byte> try_scratch(std::uint64_t bytes) noexcept;
  void trim_scratch() noexcept { memory_.scratch.trim(); }
  std::span<std::byte> scratch(std::uint64_t bytes) noexcept {
    return memory_.scratch.first(bytes);
  }
  /// The work queue keeps the sample until its bytes are granted.
  RowOutcome park();
  /// Call it when the row has ended or failed. Frees blocks that are charged to the reserve, or
  /// that others wait for.
  void release() noexcept;

 private:
  bool ensure(buffer::Block& block, std::uint64_t bytes, std::uint64_t beside);
  /// Frees unused blocks first. If the bytes are still refused, the row waits.
  bool ensure_or_wait(buffer::Block& block, std::uint64_t bytes, std::uint64_t beside);

  Shared& shared_;
  WorkerMemory memory_;
};

}  // namespace weir::engine
