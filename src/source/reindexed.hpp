#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "source/fingerprint.hpp"
#include "weir/source.hpp"

namespace weir::source {

/// A source whose sample i is sample map(i) of another. A `Map` has size(), operator()(i), the
/// bytes() that it holds on the heap, and a text() that identifies it. The other calls are those of
/// the wrapped source.
template <class Map>
class Reindexed : public AnySource {
 public:
  Reindexed(AnySource source, Map map) : AnySource(std::move(source)), map_(std::move(map)) {}

  std::uint64_t size() const noexcept { return map_.size(); }
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    return AnySource::try_read(map_(i), sink);
  }
  std::string name(std::uint64_t i) const { return AnySource::name(map_(i)); }
  std::string plane_name(std::uint64_t i, std::size_t plane) const {
    return AnySource::plane_name(map_(i), plane);
  }
  std::uint64_t index_bytes() const {
    return add_sat(AnySource::index_bytes(), sizeof(*this) + map_.bytes());
  }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const {
    return AnySource::encoded_bytes(map_(i));
  }
  std::optional<ImageSize> image_size(std::uint64_t i) const {
    return AnySource::image_size(map_(i));
  }
  std::optional<std::int64_t> label(std::uint64_t i) const { return AnySource::label(map_(i)); }
  /// Names identify the samples, so only a fingerprint of the wrapped source needs the map.
  std::string fingerprint() const {
    const auto whole = AnySource::fingerprint();
    return whole.empty() ? whole : fingerprint_of_text(whole + ' ' + map_.text());
  }

 private:
  Map map_;
};

}  // namespace weir::source
