#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "codec/decoder.hpp"
#include "support/decode_plan.hpp"

namespace weir::bench {

/// Memory that grows, aligned as scratch memory is.
class Scratch {
 public:
  std::span<std::byte> get(std::size_t bytes) {
    constexpr std::size_t alignment = 64;
    if (memory_.size() < bytes + alignment) memory_.resize(bytes + alignment);
    void* start = memory_.data();
    auto space = memory_.size();
    return {static_cast<std::byte*>(std::align(alignment, bytes, start, space)), bytes};
  }

 private:
  std::vector<std::byte> memory_;
};

/// weir's decoder and its scratch, without engine and books. An image that does not decode ends the program.
class BareDecoder {
 public:
  explicit BareDecoder(codec::DecoderOptions options) : decoder_(std::move(options)) {}

  codec::ImageInfo probe(std::span<const std::byte> encoded) const {
    const auto info = decoder_.probe(encoded);
    if (!info) std::abort();
    return *info;
  }
  codec::DecodePlan plan(std::span<const std::byte> encoded, std::uint64_t draw) const {
    return codec::plan_row(decoder_, probe(encoded), draw);
  }
  codec::DecodePlan plan_whole(std::span<const std::byte> encoded) const {
    return codec::plan_whole(probe(encoded), decoder_.options());
  }
  codec::Decoded operator()(std::span<const std::byte> encoded, const codec::DecodePlan& plan,
                            std::span<std::uint8_t> row) {
    const auto done =
        decoder_.decode(encoded, plan, scratch_.get(plan.memory.scratch), never_, row);
    if (!done) std::abort();
    return *done;
  }
  /// A new row.
  std::vector<std::uint8_t> operator()(std::span<const std::byte> encoded,
                                       const codec::DecodePlan& plan) {
    std::vector<std::uint8_t> row(plan.out_bytes());
    (*this)(encoded, plan, row);
    return row;
  }

 private:
  codec::Decoder decoder_;
  Scratch scratch_;
  const std::atomic<bool> never_{false};
};

}  // namespace weir::bench
