#include "engine/standstill.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "engine/failure.hpp"

namespace weir::engine {
namespace {

std::string duration(Clock::duration d) {
  // Less than what is rounded to the next unit.
  const auto s = seconds(d);
  return s < 0.9995 ? format("%.0f ms", s * 1e3) : format("%.1f s", s);
}

std::string row_name(books::RowKey row) {
  return concat("row ", row.row, " of batch ", row.sequence);
}

std::string number(std::uint64_t count, const char* what) {
  return concat(count, " ", what, count == 1 ? "" : "s");
}

/// The free part of the budget, and the accounts that hold the rest.
std::string budget(const MemorySnapshot& memory) {
  std::string held;
  for (std::size_t i = 0; i < account_count; ++i) {
    if (memory.accounts[i] == 0) continue;
    if (!held.empty()) held += ", ";
    held += concat(to_string(static_cast<Account>(i)), " ", memory.accounts[i]);
  }
  const auto budget = memory.budget.value_or(unlimited);
  return concat(sub_floor(budget, memory.live), " of the budget of ", budget, " are free (",
                held.empty() ? "nothing is held" : held, ")");
}

/// Builds the text about one stalled stream.
struct StallText {
  const Standstill& s;
  const AnySource& source;

  std::string activity(const Activity& busy) const {
    const char* const what = busy.stage == Stage::read  ? "the source, which reads "
                             : busy.stage == Stage::fit ? "the transform of "
                                                        : "the decoding of ";
    return what + sample(busy.index, busy.row) + ", for " + duration(s.now - busy.since);
  }

  std::string shortage(const ParkedSample& parked) const {
    const auto& [row, account, bytes] = parked.claim;
    return concat(sample(parked.index, row), " waits for ", bytes, " bytes of ", to_string(account),
                  ", for ", duration(s.now - parked.since));
  }

  /// What the loader is doing, for a consumer that waits.
  std::string cause() const {
    const auto oldest = s.queue.oldest;
    const auto at_oldest = std::ranges::find(s.busy, oldest, &Activity::row);
    if (at_oldest != s.busy.end()) return "waits for " + activity(*at_oldest);
    if (!s.parked.empty() && s.parked.front().claim.row == oldest)
      return "waits for memory: " + shortage(s.parked.front()) + "; " + budget(s.memory);
    if (s.queue.filling == 0) {
      if (s.wants_slab)
        return concat("waits for memory: a batch needs a slab of ", s.queue.slab_requested,
                      " bytes; ", budget(s.memory));
      return "has no batch open";
    }
    auto untaken = "waits for a thread to take " + row_name(oldest);
    if (s.busy.empty()) return untaken;
    return untaken + "; the one longest at work waits for " + activity(s.busy.front());
  }

 private:
  std::string sample(std::uint64_t index, books::RowKey row) const {
    return name_of(source, index) + " (" + row_name(row) + ")";
  }
};

}  // namespace

std::string describe(const Standstill& s, const AnySource& source) {
  const StallText stall{s, source};
  const auto lasted = duration(s.now - s.since);
  const auto ready = s.queue.ready == 1 ? std::string("1 batch is ready")
                                        : concat(s.queue.ready, " batches are ready");
  const auto held = concat(s.queue.leased, " of ", number(s.max_leases, "lease"));
  switch (s.consumer) {
    case Standstill::Consumer::away:
      return "no stall of the loader: the consumer has not asked for a batch for " + lasted +
             "; it holds " + held + ", " + ready;
    case Standstill::Consumer::waits_for_lease:
      return "no stall of the loader: for " + lasted +
             " the consumer has waited for one of its own leases to come back; it holds " + held +
             ", " + ready;
    case Standstill::Consumer::stops:
      return "stopping for " + lasted + ": the stream waits for " +
             (s.busy.empty() ? "its threads to leave" : stall.activity(s.busy.front()));
    case Standstill::Consumer::waits_for_batch: break;
  }
  auto text = "stalled for " + lasted + ": the stream " + stall.cause();
  const bool reported = !s.parked.empty() && s.parked.front().claim.row == s.queue.oldest;
  if (const auto more = s.parked.size() - (reported ? 1 : 0); more > 0) {
    text += "; " + number(more, "younger sample") + (more == 1 ? " waits" : " wait") +
            " for bytes: " + stall.shortage(s.parked[reported ? 1 : 0]);
    if (!reported) text += "; " + budget(s.memory);
  }
  return text;
}

}  // namespace weir::engine
