#include <optional>
#include <string>
#include <utility>

#include "weir/error.hpp"
#include "weir/source.hpp"

namespace weir::source {
namespace {

class Paired {
 public:
  Paired(AnySource first, AnySource second) : first_(std::move(first)), second_(std::move(second)) {
    if (first_.size() != second_.size()) {
      throw Error(Errc::bad_options, Stage::read,
                  "paired: first has " + std::to_string(first_.size()) + " samples, second has " +
                      std::to_string(second_.size()) + "; there must be as many");
    }
  }

  std::uint64_t size() const { return first_.size(); }
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    auto pair = first_.try_read(i, sink);
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
  std::string name(std::uint64_t i) const { return first_.name(i); }
  std::uint64_t index_bytes() const { return first_.index_bytes() + second_.index_bytes(); }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const {
    const auto first = first_.encoded_bytes(i), second = second_.encoded_bytes(i);
    if (!first || !second) return std::nullopt;
    return *first + *second;
  }
  std::optional<ImageSize> image_size(std::uint64_t i) const { return first_.image_size(i); }
  std::vector<std::string> class_names() const { return first_.class_names(); }
  std::uint64_t skipped() const { return first_.skipped() + second_.skipped(); }

 private:
  AnySource first_, second_;
};
static_assert(Source<Paired>);

}  // namespace
}  // namespace weir::source

weir::AnySource weir::paired(AnySource first, AnySource second) {
  return source::Paired(std::move(first), std::move(second));
}
