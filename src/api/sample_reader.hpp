#pragma once

#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/defect.hpp"
#include "buffer/block.hpp"
#include "engine/failure.hpp"
#include "engine/plan_planes.hpp"
#include "weir/ledger.hpp"
#include "weir/source.hpp"

namespace weir::api {

/// Reads samples outside a stream. Each part has its own allocation, charged to a ledger. Not
/// thread-safe.
class SampleReader final : public ByteSink {
 public:
  /// Reads the planes that `planes` need, which must outlive this object.
  SampleReader(MemoryLedger& ledger, std::uint64_t max_sample_bytes,
               std::span<const engine::PlaneRule> planes, bool annotations) noexcept
      : ledger_(ledger),
        max_sample_bytes_(max_sample_bytes),
        planes_(planes),
        annotations_(annotations) {}

  /// The bytes stay valid until the next read. If the ledger has no room, the result is a Defect,
  /// and refused() gives the bytes.
  Result<Encoded> read(const AnySource& source, std::uint64_t index) {
    pieces_.clear();
    unread_.clear();
    charged_ = refused_ = 0;
    ran_out_ = false;
    try {
      if (const auto encoded = source.try_read(index, *this)) return *encoded;
      if (refused_ > 0) return Defect{FaultKind::memory, Stage::read, {}};
      return engine::gave_nothing();
    } catch (...) {
      return engine::failure_of(Stage::read).defect;
    }
  }
  /// Planes of the sample that could not be read.
  const engine::UnreadPlanes& unread() const noexcept { return unread_; }
  /// Bytes of the sample as a stream counts them. A stream keeps all parts in one block.
  std::uint64_t charged() const noexcept { return charged_; }
  /// Bytes of the block that a stream keeps the parts in: for many it makes room for twice as much.
  std::uint64_t block_bytes() const noexcept {
    constexpr std::size_t many = 3;  // as the sink of a stream has it
    return pieces_.size() < many ? charged_ : mul_sat(charged_, 2);
  }
  /// Bytes that the ledger refused; 0 if none.
  std::uint64_t refused() const noexcept { return refused_; }
  /// Whether this reader's allocation failed. A std::bad_alloc of the source is a Defect alone.
  bool ran_out() const noexcept { return ran_out_; }

 private:
  struct Piece {
    Charge charge;  ///< destroyed after the memory
    std::unique_ptr<std::byte[]> data;
  };

  bool wants(std::size_t plane) const noexcept override { return engine::wants(planes_, plane); }
  bool wants_annotation() const noexcept override { return annotations_; }
  bool may_lack(std::size_t plane, const SampleError& why) override {
    unread_.push_back({why.kind(), Stage::read, why.what(), {}, plane});
    return true;
  }
  std::optional<std::span<std::byte>> try_take(std::size_t bytes) override {
    const auto end = add_sat(round_up(charged_, buffer::Block::alignment), bytes);
    if (const auto defect = engine::too_large(end, max_sample_bytes_, Stage::read))
      throw SampleError(defect->kind, defect->reason);
    try {
      auto charge = ledger_.try_charge(Account::encoded, bytes);
      if (!charge) {
        refused_ = bytes;
        return std::nullopt;
      }
      pieces_.push_back({std::move(*charge), std::make_unique_for_overwrite<std::byte[]>(bytes)});
    } catch (const std::bad_alloc&) {
      ran_out_ = true;
      throw;
    }
    charged_ = end;
    return std::span(pieces_.back().data.get(), bytes);
  }

  MemoryLedger& ledger_;
  const std::uint64_t max_sample_bytes_;
  const std::span<const engine::PlaneRule> planes_;
  const bool annotations_;
  std::vector<Piece> pieces_;
  engine::UnreadPlanes unread_;
  std::uint64_t charged_ = 0, refused_ = 0;
  bool ran_out_ = false;
};

}  // namespace weir::api
