#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "weir/batch.hpp"

namespace weir::cli {

/// SHA-256 over everything that a stream delivers, in order. Each batch adds its pixels in memory
/// order, the sizes if images keep their own sizes (height and width as little-endian uint32), the
/// labels as little-endian int64 and the indices as little-endian uint64.
class Digest {
 public:
  Digest();
  Digest(Digest&&) noexcept;
  ~Digest();

  void add(const Batch& batch);
  void add(std::span<const std::byte> bytes);
  /// Returns 64 hex digits. add() is not allowed afterwards.
  std::string hex() &&;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace weir::cli
