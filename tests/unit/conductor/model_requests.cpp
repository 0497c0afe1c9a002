#include "unit/conductor/model.hpp"

namespace weir::test {

void Model::ask_for_batch() {
  const auto indices = request(scenario_, asked_);
  if (!requests_->ask(indices)) breach("a request was refused below the bound");
  outstanding_[asked_++] = indices;
  if (outstanding_.size() == scenario_.most_outstanding && requests_->ask(indices))
    breach("a request beyond the bound was taken");
}

bool Model::asked_enough() const noexcept {
  return requests_ && !closed_ && delivered_ == scenario_.asks && leases_.empty();
}

void Model::end_requests() {
  if (asked_enough() && delivered_ != batches_expected(scenario_))
    breach("it went on after the batch at which it ends");
}

void Model::check_request(const conductor::BatchSlot& batch) {
  const auto& indices = outstanding_[batch.sequence];
  if (batch.rows != indices.size() || batch.first != rows_opened_)
    breach("a request has other rows than were asked for");
  rows_opened_ += batch.rows;
  for (std::uint32_t row = 0; row < batch.rows; ++row)
    if (requests_->index(batch, requests_->position(batch, batch.first + row)) != indices[row])
      breach("a request has another sample than was asked for");
}

}  // namespace weir::test
