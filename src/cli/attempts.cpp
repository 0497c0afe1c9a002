#include "cli/attempts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace weir::cli {
namespace {

struct Watched : AnySource {
  std::shared_ptr<Attempts> attempts;

  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    attempts->note(i);
    return AnySource::try_read(i, sink);
  }
};

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
