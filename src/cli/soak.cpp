#include "cli/soak.hpp"

#include <algorithm>
#include <utility>

namespace weir::cli {

void Soak::drain(Consumer& consumer, std::optional<std::uint64_t> steps,
                 const std::function<void(const Batch&)>& look) {
  try {
    while (taken_ != steps) {
      if (held_.size() == loader_.plan().max_leases) release();
      recount_.waiting = true;
      auto batch = stream_.next();
      recount_.waiting = false;
      if (!batch) break;
      take(std::move(*batch));
      look(held_.back().batch);
      consumer.take(held_.back().batch);
    }
  } catch (...) {
    // The stream ended with an error. The recount must stay correct for the next stream.
    recount_.waiting = false;
    while (!held_.empty()) release();
    throw;
  }
  while (!held_.empty()) release();
}

void Soak::take(Batch batch) {
  book_.check(Law::order, batch.sequence() == taken_, "batch {} was delivered as number {}",
              batch.sequence(), taken_);
  ++taken_;
  for (const auto status : batch.statuses()) ++rows_[static_cast<std::size_t>(status)];
  const auto samples =
      static_cast<std::uint64_t>(std::ranges::count_if(batch.statuses(), [](RowStatus status) {
        return status != RowStatus::blank && status != RowStatus::padding;
      }));
  held_.push_back({std::move(batch), samples});
  check_leases(loader_.snapshot());
}

void Soak::release() {
  const auto before = loader_.snapshot();
  const auto bytes = held_.front().batch.bytes_held();
  recount_.perhaps_consumed += held_.front().samples;
  const auto samples = held_.front().samples;
  held_.pop_front();
  ++released_;
  const auto after = loader_.snapshot();
  recount_.surely_consumed += samples;

  book_.check(Law::held, before.memory[Account::leased] - after.memory[Account::leased] == bytes,
              "a batch of {} bytes died and leased went from {} to {}", bytes,
              before.memory[Account::leased], after.memory[Account::leased]);
  book_.check(Law::conservation, after.samples.consumed == recount_.surely_consumed,
              "consumed is {}, the consumer released {}", after.samples.consumed,
              recount_.surely_consumed.load());
  const auto wanted = loader_.progress_after(released_);
  book_.check(Law::resume, stream_.progress_of_all() == wanted,
              "progress is {} after {} batches were finished in order",
              stream_.progress().to_json(), released_);
  check_leases(after);
}

// Only this thread takes and releases leases, so the comparison is exact.
void Soak::check_leases(const Snapshot& now) {
  std::uint64_t bytes = 0, samples = 0;
  for (const auto& held : held_) {
    bytes += held.batch.bytes_held();
    samples += held.samples;
  }
  book_.check(Law::held,
              now.leased == held_.size() && now.memory[Account::leased] == bytes &&
                  now.samples.leased == samples,
              "leased is {} batches, {} samples, {} bytes; held are {}, {}, {}", now.leased,
              now.samples.leased, now.memory[Account::leased], held_.size(), samples, bytes);
}

}  // namespace weir::cli
