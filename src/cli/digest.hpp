#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "weir/batch.hpp"

namespace weir::cli {

/// SHA-256 over everything a stream delivers, in order. Of each batch: its pixels as they lie, where images
/// keep their own sizes those (height and width as little-endian uint32), its labels as little-endian int64,
/// its indices as little-endian uint64.
class Digest {
 public:
  Digest();
  Digest(Digest&&) noexcept;
  ~Digest();

  void add(const Batch& batch);
  void add(std::span<const std::byte> bytes);
  /// 64 hex digits. The Digest takes nothing more.
  std::string hex() &&;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace weir::cli
