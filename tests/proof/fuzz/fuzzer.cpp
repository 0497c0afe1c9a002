// libFuzzer's entry into the target that the environment variable WEIR_FUZZ_TARGET names. One program for all targets,
// because linking takes longer than a target's own code. An exception of a target ends the process, and libFuzzer
// reports the input.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

weir::fuzz::Run chosen() {
  const char* name = std::getenv("WEIR_FUZZ_TARGET");
  const auto& all = weir::fuzz::targets();
  const auto found = std::ranges::find(all, name ? name : "", &weir::fuzz::Target::name);
  if (found != all.end()) return found->run;
  std::fputs("WEIR_FUZZ_TARGET must be one of:", stderr);
  for (const auto& target : all) std::fprintf(stderr, " %s", target.name.c_str());
  std::fputs("\n", stderr);
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const weir::fuzz::Run run = chosen();
  return run({data, size}) ? 0 : -1;
}
