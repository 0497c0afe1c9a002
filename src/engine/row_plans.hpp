#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/plan_planes.hpp"
#include "engine/row.hpp"

namespace weir::engine {

/// How to decode all samples of a row. They share one scratch memory: first the images that do not go into
/// the row, then the memory that decoders and transform use in turn. Reused from row to row.
class RowPlans {
 public:
  /// For rows of so many samples. Throws std::bad_alloc.
  explicit RowPlans(std::size_t samples) : plans_(samples) {}

  RowPlan& operator[](std::size_t number) noexcept { return plans_[number]; }
  const RowPlan& operator[](std::size_t number) const noexcept { return plans_[number]; }
  /// The plan of the next sample, after those of the samples before it.
  void set(std::size_t number, RowPlan plan) noexcept {
    plan.images_begin = number == 0 ? 0 : plans_[number - 1].images_end();
    plans_[number] = std::move(plan);
  }

  /// What decoding the row needs, besides its encoded samples.
  codec::MemoryNeed need() const noexcept;
  /// The sample that needs the most.
  std::uint32_t largest(std::span<const RowSample> samples) const noexcept;

  // -- `scratch`: of the size that need() has
  /// The room of an image that is in scratch.
  static MutableImageView image(const RowPlan& plan, const PlannedPlane& image,
                                std::span<std::byte> scratch) noexcept;
  /// The memory behind the images.
  std::span<std::byte> work_memory(std::span<std::byte> scratch) const noexcept {
    return scratch.subspan(static_cast<std::size_t>(plans_.back().images_end()));
  }

 private:
  std::vector<RowPlan> plans_;
};

}  // namespace weir::engine
