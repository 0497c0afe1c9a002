#pragma once

#include <utility>

namespace weir {

/// The one friend of public classes: how weir's layers reach what lies behind them. The classes are
/// complete where a call is made.
struct Internals {
  /// `Face` by a constructor that is not public.
  template <class Face, class... Arguments>
  static Face make(Arguments&&... arguments) {
    return Face(std::forward<Arguments>(arguments)...);
  }
  /// The books behind a MemoryLedger.
  template <class Face>
  static const auto& books(const Face& ledger) noexcept {
    return ledger.books_;
  }
  /// The counts behind a CountingResource.
  template <class Face>
  static const auto& counts(const Face& resource) noexcept {
    return resource.counts_;
  }
};

}  // namespace weir
