#pragma once

#include "support/catch.hpp"
#include "weir/loader.hpp"

namespace weir::test {

/// Checks that nothing of a stream is left: no sample and no slab is in use.
inline void check_at_rest(const Loader& loader) {
  const auto now = loader.snapshot();
  CHECK(now.samples.conserved());
  CHECK(now.samples.in_flight + now.samples.ready + now.samples.leased == 0);
  CHECK(now.memory[Account::leased] + now.memory[Account::filling] == 0);
}

}  // namespace weir::test
