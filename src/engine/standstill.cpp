#include "engine/standstill.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace weir::engine {
namespace {

std::string duration(Clock::duration d) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", seconds(d));
  return text.data();
}

std::string row_name(books::RowKey row) {
  return "row " + std::to_string(row.row) + " of batch " + std::to_string(row.sequence);
}

std::string number(std::uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string activity(const Standstill::Busy& busy) {
  const char* const what = busy.stage == Stage::read  ? "the source, which reads "
                           : busy.stage == Stage::fit ? "the transform of "
                                                      : "the decoding of ";
  return what + busy.sample + " (" + row_name(busy.row) + "), for " + duration(busy.lasted);
}

/// Of the budget, what is free and who has the rest.
std::string budget(const MemorySnapshot& memory) {
  std::string held;
  for (std::size_t i = 0; i < account_count; ++i) {
    if (memory.accounts[i] == 0) continue;
    if (!held.empty()) held += ", ";
    held +=
        std::string(to_string(static_cast<Account>(i))) + " " + std::to_string(memory.accounts[i]);
  }
  return std::to_string(memory.budget - std::min(memory.live, memory.budget)) +
         " of the budget of " + std::to_string(memory.budget) + " are free (" +
         (held.empty() ? "nothing is held" : held) + ")";
}

std::string shortage(const Standstill::Parked& parked) {
  return parked.sample + " (" + row_name(parked.row) + ") waits for " +
         std::to_string(parked.bytes) + " bytes of " + std::string(to_string(parked.account)) +
         ", for " + duration(parked.lasted);
}

/// What the loader is at, for a consumer that waits.
std::string cause(const Standstill& s) {
  const auto at_oldest = std::ranges::find(s.busy, s.oldest, &Standstill::Busy::row);
  const auto oldest_parked = std::ranges::find(s.parked, s.oldest, &Standstill::Parked::row);
  if (at_oldest != s.busy.end()) return "waits for " + activity(*at_oldest);
  if (oldest_parked != s.parked.end())
    return "waits for memory: " + shortage(*oldest_parked) + "; " + budget(s.memory);
  if (s.filling == 0) {
    if (s.wants_slab)
      return "waits for memory: a batch needs a slab of " + std::to_string(s.slab_bytes) +
             " bytes; " + budget(s.memory);
    return "has no batch open";
  }
  if (s.busy.empty()) return "waits for a thread to take " + row_name(s.oldest);
  return "waits for a thread to take " + row_name(s.oldest) +
         "; the one longest at work waits for " + activity(s.busy.front());
}

}  // namespace

std::string describe(const Standstill& s) {
  const auto lasted = duration(s.lasted);
  const auto ready = s.ready == 1 ? std::string("1 batch is ready")
                                  : std::to_string(s.ready) + " batches are ready";
  const auto held = std::to_string(s.leased) + " of " + number(s.max_leases, "lease");
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
             (s.busy.empty() ? "its threads to leave" : activity(s.busy.front()));
    case Standstill::Consumer::waits_for_batch: break;
  }
  auto text = "stalled for " + lasted + ": the stream " + cause(s);
  const bool told = !s.parked.empty() && s.parked.front().row == s.oldest;
  if (const auto more = s.parked.size() - (told ? 1 : 0); more > 0) {
    text += "; " + number(more, "younger sample") + (more == 1 ? " waits" : " wait") +
            " for bytes: " + shortage(s.parked[told ? 1 : 0]);
    if (!told) text += "; " + budget(s.memory);
  }
  return text;
}

}  // namespace weir::engine
