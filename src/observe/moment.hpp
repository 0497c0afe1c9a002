#pragma once

#include <cstdint>
#include <numeric>
#include <string_view>

#include "weir/ledger.hpp"
#include "weir/plan.hpp"

namespace weir::observe {

inline std::uint64_t total(const AccountBytes& accounts) {
  return std::accumulate(accounts.begin(), accounts.end(), std::uint64_t{0});
}

/// The laws that hold of one loader at any moment. Calls `check(name, holds, format, values...)` for
/// each, with the expected and the observed values.
template <class Check>
void check_moment(const Snapshot& now, const Plan& plan, Check&& check) {
  const auto& memory = now.memory;
  const auto& samples = now.samples;
  const auto parts = total(memory.accounts), parts_at_peak = total(memory.accounts_at_peak);
  check("sum", parts == memory.live, "accounts add up to {}, live is {}", parts, memory.live);
  const auto budget = memory.budget.value_or(UINT64_MAX);
  check("bound", memory.live <= budget, "{} live, budget {}", memory.live, budget);
  check("peak", memory.peak >= memory.live && parts_at_peak == memory.peak,
        "peak {} with {} live and {} in its parts", memory.peak, memory.live, parts_at_peak);
  check("conservation", samples.conserved(),
        "drawn {} in_flight {} ready {} leased {} consumed {} discarded {} dropped {} failed {}",
        samples.drawn, samples.in_flight, samples.ready, samples.leased, samples.consumed,
        samples.discarded, samples.dropped, samples.failed);
  check("partners", samples.has_partners(plan.partners),
        "{} partners of {} rows in the queue or taken, with {} each", samples.partners,
        samples.produced(), plan.partners);
  check("queue", now.filling + now.ready <= plan.max_queue_size && now.leased <= plan.max_leases,
        "{} filling, {} ready, {} leased; max_queue_size {}, max_leases {}", now.filling, now.ready,
        now.leased, plan.max_queue_size, plan.max_leases);
}

}  // namespace weir::observe
