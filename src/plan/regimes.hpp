#pragma once

#include "base/terms.hpp"
#include "weir/window.hpp"

namespace weir {

inline constexpr std::array<Term<Regime>, 5> regimes{{
    {Regime::balanced, "balanced", "nothing waits for long"},
    {Regime::storage, "storage", "reading sets the pace"},
    {Regime::decode, "decode", "decoding sets the pace"},
    {Regime::consumer, "consumer", "the consumer sets the pace"},
    {Regime::memory, "memory", "the budget sets the pace"},
}};
static_assert(in_order(regimes));

}  // namespace weir
