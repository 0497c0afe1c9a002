#include <benchmark/benchmark.h>

#include <cstdint>

#include "ledger.hpp"

namespace {

using namespace weir;
using weir::bench::ledger;

// Charge, transfer, discharge: three postings. With several threads, all use the one leaf mutex.
void charge_transfer_discharge(benchmark::State& state) {
  while (state.KeepRunning()) {
    auto charge = ledger()->try_charge(Account::scratch, 4096);
    charge->transfer(Account::filling);
  }
  state.counters["s/posting"] =
      benchmark::Counter(3.0 * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(charge_transfer_discharge)->Threads(1)->Threads(2)->UseRealTime();

void snapshot(benchmark::State& state) {
  while (state.KeepRunning()) benchmark::DoNotOptimize(ledger()->snapshot());
}
BENCHMARK(snapshot);

}  // namespace
