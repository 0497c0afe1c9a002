// libFuzzer's entry into one target, WEIR_FUZZ_TARGET. What a target throws ends the process, which
// libFuzzer reports with the input.
#include <cstddef>
#include <cstdint>

#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return weir::fuzz::WEIR_FUZZ_TARGET({data, size}) ? 0 : -1;
}
