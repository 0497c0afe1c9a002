#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/text.hpp"

namespace weir {

/// XXH3-128.
struct Checksum {
  std::uint64_t low = 0, high = 0;
  friend bool operator==(const Checksum&, const Checksum&) = default;
  /// 32 hexadecimal digits.
  std::string hex() const { return weir::hex(high) + weir::hex(low); }
};

/// XXH3-64 of the bytes of one sample.
std::uint64_t checksum_of(std::span<const std::byte> bytes) noexcept;

/// XXH3-128 and XXH3-64 of bytes that come in parts. They share a state.
class RunningChecksum {
 public:
  /// Throws std::bad_alloc.
  RunningChecksum();
  ~RunningChecksum();
  RunningChecksum(RunningChecksum&&) noexcept;
  RunningChecksum& operator=(RunningChecksum&&) noexcept;
  void add(std::span<const std::byte> bytes) noexcept;
  /// Of all bytes so far.
  Checksum value() const noexcept;
  /// checksum_of() all bytes so far.
  std::uint64_t value64() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weir
