#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "buffer/slab.hpp"
#include "conductor/supply.hpp"
#include "source/size_order.hpp"
#include "source/size_rule.hpp"
#include "weir/error.hpp"

namespace weir::conductor {

/// Under `skip`, the stream ends after this many failures of one row.
inline constexpr std::uint32_t most_attempts = 64;

/// The samples of each batch if sizes differ, computed before the batch has a slab: source indices,
/// extents and the size of the whole. A pure function of (supply, seed, sizes, fault policy). Not
/// thread-safe. Allocates only in the constructor. With Sizes::fixed it has the size of the rows alone,
/// which a SizeRule gives.
///
/// The extent of a sample is what the SizeRule gives, or its size within the bound. A sample whose size is unknown fails when
/// it is drawn. Under `skip` it gets the extent of the first replacement whose size is known,
/// otherwise none.
///
/// A row that the order has no sample for has no extent and the index UINT64_MAX.
class BatchSizes {
 public:
  /// How the batches of a stream are laid out.
  struct Rules {
    Sizes mode = Sizes::padded;
    std::uint32_t batch = 0;
    std::size_t alignment = 64;
    buffer::RowForm form{};
    OnFault on_fault = OnFault::stop;
    std::uint32_t multiple_of = 1;
    source::SizeRule size{};
  };

  BatchSizes(source::SizeOrder order, std::shared_ptr<const Supply> supply, const Rules& rules);
  /// Bytes that it allocates, besides the order.
  static constexpr std::uint64_t memory_bytes(std::uint64_t positions,
                                              std::uint32_t batch) noexcept {
    return std::min<std::uint64_t>(positions, batch) * (sizeof(std::uint64_t) + sizeof(ImageSize));
  }

  /// Valid until the next call. A repeated call for the same batch is free.
  const buffer::BatchLayout& of(const BatchSlot& batch);
  /// The first row of the last of() that has no sample in the order, or no size, and why. `error` is
  /// null if there is none.
  struct Failed {
    std::uint32_t row = 0;
    std::exception_ptr error;
  };
  const Failed& failed() const noexcept { return failed_; }

 private:
  void add(const BatchSlot& batch, std::uint32_t row);
  void lay_out_rows(const BatchSlot& batch);
  ImageSize size_of(std::uint64_t index, const BatchSlot& batch);
  ImageSize room(std::uint64_t index, const BatchSlot& batch, source::Position position);
  ImageSize ruled(const SizeInput& input);

  source::SizeOrder order_;
  const std::shared_ptr<const Supply> supply_;
  const Rules rules_;
  std::uint64_t sequence_ = UINT64_MAX;
  buffer::BatchLayout batch_;
  Failed failed_;
  /// The first answer of the SizeRule. A function that changes it may read what the trainer changes.
  std::optional<std::pair<SizeInput, ImageSize>> first_;
};

}  // namespace weir::conductor
