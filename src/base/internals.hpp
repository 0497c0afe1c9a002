#pragma once

#include <utility>

namespace weir {

/// The only friend of the public classes. It gives weir's layers access to their private parts. The
/// classes must be complete at the call.
struct Internals {
  /// Calls a private constructor of `Face`.
  template <class Face, class... Arguments>
  static Face make(Arguments&&... arguments) {
    return Face(std::forward<Arguments>(arguments)...);
  }
  /// The books of a MemoryLedger.
  template <class Face>
  static const auto& books(const Face& ledger) noexcept {
    return ledger.books_;
  }
  /// The object of an AnySource, which its copies share.
  template <class Face>
  static const auto& self(const Face& source) noexcept {
    return source.self_;
  }
  /// The caches of a CacheStore.
  template <class Face>
  static auto& shelves(const Face& store) noexcept {
    return *store.shelves_;
  }
  /// The data of a BatchStream.
  template <class Face>
  static const auto& state(const Face& stream) noexcept {
    return *stream.state_;
  }
  /// The counts of a CountingResource.
  template <class Face>
  static const auto& counts(const Face& resource) noexcept {
    return resource.counts_;
  }
};

}  // namespace weir
