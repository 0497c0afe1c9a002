#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "support/rig/laws.hpp"
#include "weir/options.hpp"
#include "weir/report.hpp"
#include "weir/source.hpp"

namespace weir::test {

/// Counts the reads of each sample of a source. Any thread.
class Attempts {
 public:
  explicit Attempts(std::uint64_t size) : reads_(size) {}

  void note(std::uint64_t index) noexcept { reads_[index].fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t size() const noexcept { return reads_.size(); }
  std::uint64_t of(std::uint64_t index) const noexcept { return reads_[index].load(); }
  std::uint64_t total() const noexcept {
    return std::accumulate(reads_.begin(), reads_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& reads) { return sum + reads.load(); });
  }
  /// The number of samples that were read at least `times` times.
  std::uint64_t read_at_least(std::uint64_t times) const noexcept {
    return static_cast<std::uint64_t>(
        std::count_if(reads_.begin(), reads_.end(),
                      [times](const auto& reads) { return reads.load() >= times; }));
  }

 private:
  std::vector<std::atomic<std::uint32_t>> reads_;
};

/// A source whose reads `attempts` counts.
struct Watched : AnySource {
  std::shared_ptr<Attempts> attempts;
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    attempts->note(i);
    return AnySource::try_read(i, sink);
  }
};

/// Checks Law::attempted after `epochs` whole epochs in the order of `options`: each sample was read
/// as often as it was drawn, or came from the cache, and no other sample was read, except to replace
/// a bad one. `did`: the report of the loader.
void check_attempts(const Attempts& attempts, const Options& options, std::uint64_t epochs,
                    const Report& did, LawBook& book);

}  // namespace weir::test
