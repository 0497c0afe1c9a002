#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/checked.hpp"
#include "engine/context.hpp"
#include "engine/row_memory.hpp"
#include "weir/source.hpp"

namespace weir::engine {

/// Admits the bytes of a row's samples before they are read. All parts of all samples lie in one block.
class SampleSink final : public ByteSink {
 public:
  /// `exact`: the block is never larger than the parts.
  SampleSink(RowMemory& memory, const Shared& shared, bool exact) noexcept
      : memory_(memory), row_(memory.row()), shared_(shared), exact_(exact) {
    row_.used = row_.charged = 0;
  }

  /// The parts that follow are those of this sample.
  void begin(RowSample& sample) noexcept {
    sample_ = &sample;
    sample.charged = 0;
    sample.unread.clear();
    start_ = aligned(row_.used);
  }
  /// The sample is read.
  void end() noexcept {
    row_.charged = with(sample_->charged);
    too_large_ = 0;  // of a plane that the sample does without
  }
  /// The sample is kept, and charges what its read charged. The defect of a row that is then too large.
  std::optional<Defect> keep(const RowSample& sample) {
    row_.charged = with(sample.charged);
    auto defect = memory_.exceeds(row_.charged, Stage::read);
    if (defect) too_large_ = sample.charged;
    return defect;
  }

  bool wants(std::size_t plane) const noexcept override {
    return engine::wants(shared_.loader.rules.planes, plane);
  }
  bool wants_annotation() const noexcept override {
    return shared_.loader.plan.annotation_bytes > 0;
  }
  bool may_lack(std::size_t plane, const SampleError& why) override {
    sample_->unread.push_back({why.kind(), Stage::read, why.what(), {}, plane});
    return true;
  }
  std::optional<std::span<std::byte>> try_take(std::size_t bytes) override {
    if (refused_ || again_) return std::nullopt;
    const auto start = aligned(row_.used);
    const auto end = add_sat(start, bytes);
    if (const auto defect = memory_.exceeds(with(end - start_), Stage::read)) {
      too_large_ = end - start_;
      throw SampleError(defect->kind, defect->reason);
    }
    // A block that grows loses its content: the earlier parts of the row.
    again_ = parts_++ > 0 && end > row_.encoded.size();
    // A pair has two parts. Of samples with partners, more follow.
    const int many = row_.samples.size() > 1 ? 2 : 3;
    const bool grows = again_ && parts_ >= many && !exact_;
    refused_ = !(grows ? memory_.admit_many_parts(aligned(end)) : memory_.admit_encoded(end));
    if (refused_ || again_) return std::nullopt;
    row_.used = end;
    sample_->charged = end - start_;
    return row_.encoded.first(end).subspan(static_cast<std::size_t>(start));
  }
  bool refused() const noexcept { return refused_; }
  /// Bytes of the sample with which the row became larger than max_sample_bytes. 0: it did not.
  std::uint64_t too_large() const noexcept { return too_large_; }
  /// There is now room for all parts: read the row again.
  bool again() const noexcept { return again_; }

 private:
  static std::uint64_t aligned(std::uint64_t bytes) noexcept {
    return round_up(bytes, buffer::Block::alignment);
  }
  /// What the row has charged with so many bytes of this sample, read or kept.
  std::uint64_t with(std::uint64_t bytes) const noexcept {
    return add_sat(aligned(row_.charged), bytes);
  }

  RowMemory& memory_;
  Row& row_;
  const Shared& shared_;
  const bool exact_;
  RowSample* sample_ = nullptr;
  std::uint64_t start_ = 0;  ///< of the sample in the block
  int parts_ = 0;
  bool refused_ = false, again_ = false;
  std::uint64_t too_large_ = 0;
};

}  // namespace weir::engine
