#include <benchmark/benchmark.h>

#include "ledger.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  weir::bench::LedgerMemoryManager memory(*weir::bench::ledger());
  benchmark::RegisterMemoryManager(&memory);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::RegisterMemoryManager(nullptr);
  benchmark::Shutdown();
}
