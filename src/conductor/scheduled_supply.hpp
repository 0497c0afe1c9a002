#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/checked.hpp"
#include "conductor/schedule.hpp"
#include "conductor/supply.hpp"
#include "source/sampler.hpp"

namespace weir::conductor {

/// Batches of a Schedule in the order of a Sampler. The first of them has the sequence 0.
class ScheduledSupply final : public Supply {
 public:
  ScheduledSupply(Schedule schedule, const source::Sampler& sampler)
      : ScheduledSupply(std::make_shared<const Schedule>(std::move(schedule)), sampler) {}
  /// The batches `first` .. `end`-1 of the schedule, as far as it has them.
  ScheduledSupply(std::shared_ptr<const Schedule> schedule, const source::Sampler& sampler,
                  std::uint64_t first = 0, std::uint64_t end = unlimited)
      : schedule_(std::move(schedule)),
        sampler_(sampler),
        first_(first),
        end_(std::min(schedule_->end(), end)) {}

  const Schedule& schedule() const noexcept { return *schedule_; }
  /// The place of the first batch in the schedule.
  std::uint64_t first() const noexcept { return first_; }

  std::uint64_t known() const noexcept override { return end(); }
  std::uint64_t end() const noexcept override {
    return end_ == unlimited ? unlimited : end_ - first_;
  }
  BatchSlot at(std::uint64_t sequence) const noexcept override {
    auto batch = schedule_->at(first_ + sequence);
    batch.sequence = sequence;
    return batch;
  }
  source::Position position(const BatchSlot& batch, std::uint64_t ordinal) const noexcept override {
    return schedule_->position(in_schedule(batch), ordinal);
  }
  std::uint64_t index(const BatchSlot& batch, source::Position position) const override {
    return sampler_.index(batch.epoch, position);
  }
  std::uint64_t samples_begun(const BatchSlot& batch) const noexcept override {
    return mul_sat(batch.epoch - at(0).epoch + 1, schedule_->samples_per_epoch());
  }
  std::uint64_t bucket_rows(const BatchSlot& batch) const noexcept override {
    return schedule_->bucket_rows(in_schedule(batch));
  }
  std::uint64_t most_bucket_rows() const noexcept override { return schedule_->most_bucket_rows(); }

 private:
  BatchSlot in_schedule(BatchSlot batch) const noexcept {
    batch.sequence += first_;
    return batch;
  }

  const std::shared_ptr<const Schedule> schedule_;
  const source::Sampler sampler_;
  const std::uint64_t first_, end_;
};

}  // namespace weir::conductor
