#pragma once

namespace weir {

/// Something that looks at the books again when told to. wake() may come from any thread, at any
/// time, more often than needed; it neither blocks on the caller's locks nor allocates.
class Wakeable {
 public:
  virtual ~Wakeable() = default;
  virtual void wake() noexcept = 0;
};

}  // namespace weir
