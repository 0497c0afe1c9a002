#include <optional>
#include <string>
#include <utility>

#include "source/fingerprint.hpp"
#include "weir/error.hpp"
#include "weir/source.hpp"

namespace weir::source {
namespace {

/// The first source, with the image of the second as second image.
class Paired : public AnySource {
 public:
  Paired(AnySource first, AnySource second)
      : AnySource(std::move(first)), second_(std::move(second)) {
    if (size() != second_.size()) {
      throw Error(Errc::bad_options, Stage::read,
                  "paired: first has " + std::to_string(size()) + " samples, second has " +
                      std::to_string(second_.size()) + "; there must be as many");
    }
  }

  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    auto pair = AnySource::try_read(i, sink);
    if (!pair) return std::nullopt;
    try {
      const auto second = second_.try_read(i, sink);
      if (!second) return std::nullopt;
      pair->second = second->bytes;
    } catch (const SampleError& error) {
      throw SampleError(error.kind(), "second image " + second_.name(i) + ": " + error.what());
    }
    return pair;
  }
  std::uint64_t index_bytes() const { return AnySource::index_bytes() + second_.index_bytes(); }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const {
    const auto first = AnySource::encoded_bytes(i), second = second_.encoded_bytes(i);
    if (!first || !second) return std::nullopt;
    return *first + *second;
  }
  std::string fingerprint() const {
    return source::fingerprint(static_cast<const AnySource&>(*this)) + source::fingerprint(second_);
  }
  std::uint64_t skipped() const { return AnySource::skipped() + second_.skipped(); }

 private:
  AnySource second_;
};
static_assert(Source<Paired>);

}  // namespace
}  // namespace weir::source

weir::AnySource weir::paired(AnySource first, AnySource second) {
  return source::Paired(std::move(first), std::move(second));
}
