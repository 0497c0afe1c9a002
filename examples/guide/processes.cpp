// docs/guide/several-processes.md: each process reads its own part of the data. One loader for each
// part takes the place of the processes.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

namespace {

/// Every `world`-th sample, beginning with sample `rank`. All parts have the same size.
struct Part {
  weir::AnySource all;
  std::uint64_t rank, world;

  std::uint64_t size() const { return all.size() / world; }
  std::uint64_t index_bytes() const { return all.index_bytes(); }
  std::string name(std::uint64_t i) const { return all.name(i * world + rank); }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const {
    return all.encoded_bytes(i * world + rank);
  }
  std::optional<weir::Encoded> try_read(std::uint64_t i, weir::ByteSink& sink) const {
    return all.try_read(i * world + rank, sink);
  }
};

}  // namespace

int main() {
  const weir::AnySource images = weir::synthetic(50, {40, 40});
  constexpr std::uint64_t world = 4;
  std::vector<std::string> seen;
  std::vector<std::uint64_t> batches;
  for (std::uint64_t rank = 0; rank < world; ++rank) {
    const Part part{images, rank, world};
    weir::Loader loader(
        part, {.shape = {32, 32}, .order = weir::Order::shuffle(), .batch = 5, .drop_last = true});
    for (const weir::Batch& batch : loader.stream())
      for (const auto i : batch.indices()) seen.push_back(part.name(i));
    batches.push_back(loader.batches_per_epoch());
  }
  std::ranges::sort(seen);
  const bool distinct = std::ranges::adjacent_find(seen) == seen.end();
  const bool even = std::ranges::count(batches, batches.front()) == static_cast<int>(world);
  std::printf("%zu different samples, %llu batches for each process\n", seen.size(),
              static_cast<unsigned long long>(batches.front()));
  return distinct && even && seen.size() == 40 ? 0 : 1;
}
