#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/source.hpp"

namespace weir::source {

/// The samples of each label. Immutable, thread-safe.
class LabelIndex {
 public:
  struct Entry {
    std::int64_t label;
    std::uint64_t index;  ///< in the source

    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  /// Its bytes must be charged. Throws Error{bad_options} that names the first sample whose label the
  /// source does not know without a read.
  explicit LabelIndex(const AnySource& source);
  static constexpr std::uint64_t bytes(std::uint64_t samples) noexcept {
    return samples > UINT64_MAX / sizeof(Entry) ? UINT64_MAX : samples * sizeof(Entry);
  }

  /// All samples, by label and index.
  std::span<const Entry> entries() const noexcept { return entries_; }
  /// Those with this label.
  std::span<const Entry> with(std::int64_t label) const noexcept;

 private:
  std::vector<Entry> entries_;
};

}  // namespace weir::source
