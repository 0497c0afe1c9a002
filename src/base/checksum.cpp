#include "base/checksum.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace weir {

// XXH3's state needs the alignment that its type declares; operator new respects it.
struct RunningChecksum::State {
  XXH3_state_t xxh;
};

RunningChecksum::RunningChecksum() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh);
}
RunningChecksum::~RunningChecksum() = default;
RunningChecksum::RunningChecksum(RunningChecksum&&) noexcept = default;
RunningChecksum& RunningChecksum::operator=(RunningChecksum&&) noexcept = default;

void RunningChecksum::add(std::span<const std::byte> bytes) noexcept {
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}

Checksum RunningChecksum::value() const noexcept {
  const auto value = XXH3_128bits_digest(&state_->xxh);
  return {value.low64, value.high64};
}

std::uint64_t RunningChecksum::value64() const noexcept { return XXH3_64bits_digest(&state_->xxh); }

std::uint64_t checksum_of(std::span<const std::byte> bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace weir
