#include "conductor/schedule.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace weir::conductor {

Schedule::Schedule(std::uint64_t dataset_size, std::uint32_t batch, bool drop_last,
                   std::optional<std::uint64_t> epochs) noexcept
    : size_(dataset_size),
      batch_(batch),
      per_epoch_(dataset_size / batch + (!drop_last && dataset_size % batch != 0 ? 1 : 0)),
      end_(per_epoch_ == 0 ? 0
           : epochs        ? mul_sat(per_epoch_, *epochs)
                           : unlimited) {}

BatchSlot Schedule::at(std::uint64_t sequence) const noexcept {
  const auto in_epoch = sequence % per_epoch_;
  const auto first = in_epoch * batch_;
  const auto rows = std::min<std::uint64_t>(batch_, size_ - first);
  const bool last = in_epoch + 1 == per_epoch_;
  return {sequence, sequence / per_epoch_, first, static_cast<std::uint32_t>(rows),
          last ? size_ - first - rows : 0};
}

}  // namespace weir::conductor
