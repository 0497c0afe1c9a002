// libFuzzer's entry into one target, WEIR_FUZZ_TARGET. An exception of a target ends the process,
// and libFuzzer reports the input.
#include <cstddef>
#include <cstdint>

#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return weir::fuzz::WEIR_FUZZ_TARGET({data, size}) ? 0 : -1;
}
