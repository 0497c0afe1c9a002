#include "weir/batch.hpp"

#include <exception>
#include <utility>

#include "api/finished.hpp"

namespace weir {

Receipt::Receipt(std::shared_ptr<api::Finished> finished, std::uint64_t sequence) noexcept
    : finished_(std::move(finished)),
      sequence_(sequence),
      exceptions_(std::uncaught_exceptions()) {}

Receipt& Receipt::operator=(Receipt&& other) noexcept {
  Receipt gone(std::move(other));
  std::swap(finished_, gone.finished_);
  std::swap(sequence_, gone.sequence_);
  std::swap(exceptions_, gone.exceptions_);
  std::swap(done_, gone.done_);
  return *this;
}

Receipt::~Receipt() {
  if (std::uncaught_exceptions() <= exceptions_)
    finish();
  else if (finished_)
    finished_->add_thrown(sequence_);
}

Receipt Receipt::take() noexcept {
  Receipt taken(finished_, sequence_);
  taken.exceptions_ = exceptions_;
  taken.done_ = std::exchange(done_, true);
  return taken;
}

void Receipt::finish() noexcept {
  if (finished_ && !std::exchange(done_, true)) finished_->add(sequence_);
}

void Receipt::abandon() noexcept { finished_.reset(); }

}  // namespace weir
