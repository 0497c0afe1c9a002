#pragma once

#include <atomic>
#include <cstdint>

#include "buffer/sample_cache.hpp"
#include "codec/decoder.hpp"
#include "engine/row_memory.hpp"

namespace weir::engine {

/// Gives the JPEG of a sample about so many tiles. `sample.data.bytes` is then in the scratch memory of
/// the thread. Returns false and changes nothing if it is another format, cannot have tiles, or if there
/// is too little memory.
bool put_tiles(buffer::KeptSample& sample, std::uint32_t tiles,
               const codec::DecoderOptions& decoder, RowMemory& memory,
               const std::atomic<bool>& stopping) noexcept;

}  // namespace weir::engine
