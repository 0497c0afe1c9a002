#include <cstdint>
#include <cstring>

#include "codec/format.hpp"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace weir::codec {
namespace {

constexpr std::size_t block_bytes = 64;
[[maybe_unused]] constexpr std::size_t prefetched_bytes = 1024;

/// Whether there may be a marker in the block: 0xff, and then not 0. memchr() alone stops at each 0xff, of
/// which photographs of high quality have one in 200 bytes.
bool may_have_marker([[maybe_unused]] const std::byte* block) {
#ifdef __SSE2__
  const auto load = [](const std::byte* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  };
  // The processor's own prefetching ends at each page. As a number, because it may be behind the file.
  const auto later = reinterpret_cast<std::uintptr_t>(block) + prefetched_bytes;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  _mm_prefetch(reinterpret_cast<const char*>(later), _MM_HINT_T0);
  __m128i found = _mm_setzero_si128();
  for (std::size_t i = 0; i < block_bytes; i += sizeof(__m128i)) {
    const __m128i first = _mm_cmpeq_epi8(load(block + i), _mm_set1_epi8(-1)),
                  stuffed = _mm_cmpeq_epi8(load(block + i + 1), _mm_setzero_si128());
    found = _mm_or_si128(found, _mm_andnot_si128(stuffed, first));
  }
  return _mm_movemask_epi8(found) != 0;
#else
  return true;
#endif
}

}  // namespace

std::uint8_t jpeg_next_marker(Bytes bytes, std::size_t& at) noexcept {
  const std::byte* const data = bytes.span().data();
  while (at < bytes.size()) {
    while (bytes.size() - at > block_bytes && !may_have_marker(data + at)) at += block_bytes;
    const auto* const found =
        static_cast<const std::byte*>(std::memchr(data + at, 0xff, bytes.size() - at));
    if (found == nullptr) {
      at = bytes.size();
      return 0;
    }
    at = static_cast<std::size_t>(found - data) + 1;
    while (bytes.has(at, 1) && bytes.u8(at) == 0xff) ++at;
    if (bytes.has(at, 1) && bytes.u8(at++) != 0) return bytes.u8(at - 1);
  }
  return 0;
}

}  // namespace weir::codec
