#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "weir/source.hpp"

namespace weir::cli {

/// Stores the bytes of the sample that was read last.
class VectorSink final : public ByteSink {
 public:
  std::optional<std::span<std::byte>> try_take(std::size_t bytes) override {
    bytes_.resize(bytes);
    return bytes_;
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace weir::cli
