#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <new>

namespace weir::buffer {

/// Thrown if a transform requests more scratch than it declared.
class ScratchExceeded final : public std::bad_alloc {
 public:
  ScratchExceeded(std::size_t requested, std::size_t in_use, std::size_t declared) noexcept {
    std::snprintf(text_.data(), text_.size(),
                  "the transform asked for %zu bytes of scratch with %zu in use, "
                  "`transform.scratch_bytes` is %zu",
                  requested, in_use, declared);
  }
  const char* what() const noexcept override { return text_.data(); }

 private:
  std::array<char, 160> text_{};
};

}  // namespace weir::buffer
