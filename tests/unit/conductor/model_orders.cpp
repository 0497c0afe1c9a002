#include "unit/conductor/model.hpp"

namespace weir::test {

void Model::draw(Sample& sample) {
  if (requests_) return;  // check_request() compares its samples
  const auto& batch = batches_[sample.slab].slot;
  sample.epoch = batch.epoch;
  sample.position = scheduled_.position(batch, batch.first + sample.row.row);
  sample.index = scheduled_.index(batch, sample.position);
  if (!positions_.insert({sample.epoch, sample.position.value()}).second)
    breach("order: a position was drawn twice");
  if (!can_draw(scenario_, sample.index)) breach("order: a sample that the order does not draw");
  const auto expected = expected_index(scenario_, sample.epoch, sample.position.value());
  if (expected && sample.index != *expected)
    breach("order: a position has another sample than its order says");
  if (draws_once(scenario_) && !indices_.insert({sample.epoch, sample.index}).second)
    breach("order: a sample was drawn twice in an epoch");
}

void Model::draw_again(const Sample& sample) {
  if (requests_) return;
  const auto other =
      sampler_.replacement_of(sample.index, sample.epoch, sample.position, sample.attempt);
  if (!can_draw(scenario_, other)) breach("order: a replacement that the order does not draw");
  if (draws_once(scenario_) && other == sample.index && sample.attempt < sampler_.positions())
    breach("order: a sample replaces itself");
}

void Model::check_positions() {
  const auto& s = scenario_;
  if (s.world == 1 && !s.drop_last && positions_.size() != s.dataset * s.epochs)
    breach("order: a complete stream has not drawn every position");
}

}  // namespace weir::test
