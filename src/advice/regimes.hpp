#pragma once

#include "base/terms.hpp"
#include "weir/advice.hpp"

namespace weir::advice {

inline constexpr std::array<Term<Regime>, 7> regimes{{
    {Regime::balanced, "balanced", "neither side waits for more than a tenth of the time"},
    {Regime::storage, "storage", "the consumer waits, mostly for reads"},
    {Regime::decode, "decode", "the consumer waits, mostly for decoding"},
    {Regime::consumer, "consumer", "the workers wait for the consumer"},
    {Regime::memory, "memory", "the consumer waits, mostly because the budget has no room"},
    {Regime::cpu, "cpu", "the consumer waits, because the workers get too little CPU time"},
    {Regime::copy, "copy", "the consumer waits, mostly until a device has read its batches"},
}};
static_assert(in_order(regimes));

/// What Verdict::decode_wait was for.
constexpr const char* decode_cause(const Verdict& verdict) noexcept {
  return verdict.encoded ? "headers and copies" : "decoding";
}

}  // namespace weir::advice
