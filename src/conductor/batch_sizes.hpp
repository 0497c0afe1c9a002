#pragma once

#include <cstdint>

#include "buffer/slab.hpp"
#include "conductor/schedule.hpp"
#include "source/size_order.hpp"
#include "weir/error.hpp"

namespace weir::conductor {

/// Failures of one row that end a stream under `skip`.
inline constexpr std::uint32_t most_attempts = 64;

/// What each batch holds where sizes differ, before it has a slab: which samples, how much room each has,
/// and so the bytes of the whole. A pure function of (seed, epoch, sizes, policy of faults). One thread;
/// allocates at construction alone.
///
/// The room of a sample is its size within the bound. One whose size is not known fails when it is drawn;
/// under `skip` its room is that of the first replacement whose size is known, else it has none.
class BatchSizes {
 public:
  struct Terms {
    Sizes mode = Sizes::padded;
    std::uint32_t batch = 0;
    std::size_t alignment = 64;
    std::uint64_t side_bytes = 0;
    OnFault on_fault = OnFault::stop;
  };

  BatchSizes(source::SizeOrder order, const Terms& terms);

  /// Valid until the next call. Asked for the same batch again, it is there already.
  const buffer::BatchLayout& of(const BatchSlot& batch);

 private:
  ImageSize room(std::uint64_t index, std::uint64_t epoch, std::uint64_t position) const noexcept;

  source::SizeOrder order_;
  const Terms terms_;
  std::uint64_t sequence_ = UINT64_MAX;
  buffer::BatchLayout batch_;
};

}  // namespace weir::conductor
