#include "cli/attempts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace weir::cli {
namespace {

struct Watched {
  AnySource source;
  std::shared_ptr<Attempts> attempts;

  std::uint64_t size() const { return source.size(); }
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    attempts->note(i);
    return source.try_read(i, sink);
  }
  std::string name(std::uint64_t i) const { return source.name(i); }
  std::uint64_t index_bytes() const { return source.index_bytes(); }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const {
    return source.encoded_bytes(i);
  }
  std::optional<ImageSize> image_size(std::uint64_t i) const { return source.image_size(i); }
  std::vector<std::string> class_names() const { return source.class_names(); }
  std::uint64_t skipped() const { return source.skipped(); }
};
static_assert(Source<Watched>);

}  // namespace

std::uint64_t Attempts::total() const noexcept {
  return std::accumulate(reads_.begin(), reads_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& reads) { return sum + reads.load(); });
}

std::uint64_t Attempts::read_at_least(std::uint64_t times) const noexcept {
  return static_cast<std::uint64_t>(std::count_if(
      reads_.begin(), reads_.end(), [times](const auto& reads) { return reads.load() >= times; }));
}

AnySource watched(AnySource source, std::shared_ptr<Attempts> attempts) {
  return Watched{std::move(source), std::move(attempts)};
}

}  // namespace weir::cli
