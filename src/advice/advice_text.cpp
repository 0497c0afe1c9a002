#include <cmath>
#include <cstdlib>

#include "advice/cpu_share.hpp"
#include "advice/regimes.hpp"
#include "advice/search.hpp"
#include "base/byte_text.hpp"
#include "base/terms.hpp"
#include "base/text.hpp"
#include "plan/resolve.hpp"

namespace weir {
namespace {

/// Regimes in which the consumer waits.
constexpr struct {
  Regime regime;
  const char *name, *cause;
  double Verdict::*wait;
} waits[] = {{Regime::storage, "Storage", "reads", &Verdict::storage_wait},
             {Regime::decode, "Decode", nullptr, &Verdict::decode_wait},
             {Regime::memory, "Memory", "memory", &Verdict::memory_wait},
             {Regime::copy, "Copy", "the device", &Verdict::device_wait}};

std::string rate(double samples_per_s) {
  return format(samples_per_s < 100 ? "%.1f" : "%.0f", samples_per_s);
}

/// "7.78 times as fast", or "as fast" within one percent.
std::string times(double gain) {
  if (std::abs(gain - 1) < 0.01) return "as fast";
  return format(gain < 10 ? "%.2f times as fast" : "%.0f times as fast", gain);
}

/// Why a change is proposed that makes nothing faster. Empty if it is for another reason.
std::string readiness(const Lever& lever, const Prediction& now) {
  const auto to = lever.result.data_readiness;
  if (lever.gain.value_or(1) >= 1 + advice::least_gain ||
      to < now.data_readiness + advice::least_gain)
    return "";
  return concat(", a batch is ready for ", percent(to, 0), " of the requests, not for ",
                percent(now.data_readiness, 0));
}

std::string difference(std::int64_t bytes) {
  constexpr std::int64_t negligible = 1 << 16;
  if (std::abs(bytes) < negligible) return "as many bytes";
  return bytes_text(static_cast<std::uint64_t>(std::abs(bytes))) + (bytes > 0 ? " more" : " less");
}

}  // namespace

std::string_view to_string(Basis basis) noexcept {
  return name_of(basis, {"measured", "predicted", "unmeasured"});
}
std::string_view to_string(Change change) noexcept {
  return name_of(change, {"max_queue_size", "workers", "read_ahead", "settings", "cache", "decode",
                          "filter", "budget", "data", "storage", "trainer", "cpu", "max_leases",
                          "pinned", "copy", "tiles"});
}

std::string describe(const Verdict& verdict) {
  for (const auto& [regime, name, cause, wait] : waits) {
    if (verdict.regime != regime) continue;
    const double part = verdict.consumer_wait > 0 ? verdict.*wait / verdict.consumer_wait : 0;
    return concat(name, "-bound: the consumer waits ", percent(verdict.consumer_wait, 0),
                  " of its time, ", percent(part, 0), " of that for ",
                  cause ? cause : advice::decode_cause(verdict), ".");
  }
  if (verdict.regime == Regime::cpu)
    return "Short of CPUs: the consumer waits " + percent(verdict.consumer_wait, 0) +
           " of its time; " + advice::cpu_text(verdict) + ".";
  const auto consumer = percent(verdict.consumer_wait, 0),
             workers = percent(verdict.producer_wait, 0);
  if (verdict.regime == Regime::consumer)
    return "Consumer-bound: the workers wait " + workers +
           " of their time for the consumer, which waits " + consumer + " of its time.";
  return "Balanced: the consumer waits " + consumer + " of its time, the workers " + workers +
         " of theirs.";
}

namespace advice {

std::string lever_text(const Lever& lever, const Prediction& now) {
  if (lever.basis == Basis::unknown) return lever.title + ": not measured yet. " + lever.why + ".";
  auto text =
      concat(lever.title, ": ", times(lever.gain.value_or(1)), " (", rate(now.samples_per_s),
             " to ", rate(lever.result.samples_per_s), " samples/s)", readiness(lever, now), ", ",
             difference(lever.bytes), ", ", to_string(lever.basis), ".");
  if (!lever.why.empty()) text += " " + lever.why + ".";
  return text;
}

std::string flags_of(const Setting& to, const Setting* from) {
  return joined(changed(to, from), " ",
                [&](const Knob* knob) { return concat(knob->flag, " ", to.*knob->value); });
}

std::string code_of(const Setting& to, const Setting* from) {
  return joined(changed(to, from), "", [&](const Knob* knob) {
    return concat("options.", knob->member, " = ", to.*knob->value, ";\n");
  });
}

std::string value_of(const CacheOptions& cache) {
  return concat(to_string(cache.keep), cache.max_bytes ? ":" + byte_text(*cache.max_bytes) : "");
}

std::string flag_of(const CacheOptions& cache) {
  return "--cache " + value_of(cache) +
         (cache.tiles > 0 ? concat(" --cache-tiles ", cache.tiles) : "");
}

std::string code_of_budget(const Plan& plan, std::uint64_t bytes) {
  return plan.origin->given.shares_ledger
             ? concat("options.memory.ledger = std::make_shared<weir::MemoryLedger>(", bytes,
                      ");\n")
             : concat("options.memory.budget_bytes = ", bytes, ";\n");
}

std::string code_of(const CacheOptions& cache) {
  const auto bytes = cache.max_bytes ? concat(", ", *cache.max_bytes) : std::string();
  return concat("options.cache = {weir::Cache::", to_string(cache.keep), bytes, "};\n",
                cache.tiles > 0 ? concat("options.cache.tiles = ", cache.tiles, ";\n") : "");
}

}  // namespace advice
}  // namespace weir
