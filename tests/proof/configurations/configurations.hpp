#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "proof/configurations/images.hpp"
#include "weir/weir.hpp"

namespace weir::test {

/// What the delivered rows depend on, drawn at random: the files, their order, seed, shape, policy
/// of faults and, where it is set, max_sample_bytes.
struct Family {
  explicit Family(std::uint64_t key);
  /// From now on images keep their own sizes: padded, ragged or in buckets, bounded or not.
  void keep_sizes(std::uint64_t key);
  std::vector<const Bytes*> files;
  Options options;  ///< without what a Member decides
  std::uint64_t epochs = 1;
};

/// What they may not depend on.
struct Member {
  std::uint32_t workers = 1, max_queue_size = 1, max_leases = 1, read_ahead = 0;
  std::uint64_t max_queue_bytes = 0;
  std::uint64_t budget = UINT64_MAX;
  Cache keep = Cache::nothing;
  std::uint64_t cache_bytes = 0;  ///< 0: what the budget leaves
  bool dawdles = false;           ///< the consumer now and then lets the queue fill up

  /// `budget` is the floor of `family` times 1 to 4, often exactly the floor; most of those that keep
  /// samples have more, since a floor leaves no room for any.
  static Member draw(const Family& family, RandomStream& random);
  std::string to_string() const;
};

/// One run from construction to destruction.
struct Outcome {
  std::uint64_t digest = 0;  ///< pixels, labels, indices and statuses in the order they came
  std::uint64_t rows = 0;
  std::string error;  ///< what the stream ended in, if it did
  std::uint64_t max_sample_bytes = 0, floor_bytes = 0, faults = 0;
  std::uint64_t hits = 0;  ///< of the cache
  std::uint64_t peak = 0;  ///< of the books
  std::uint64_t left = 0;  ///< live after the destructor
  std::string breach;      ///< what a thread that watched the books has seen
};

/// Aborts with a message where the run hangs: ctest's own limit could not say which one it was.
Outcome run(const Family& family, const Member& member, const std::string& name);

/// Two loaders at work at the same time on one ledger of `budget` bytes. Books and breach are those
/// of both, in the first outcome.
std::pair<Outcome, Outcome> run_together(const std::array<Family, 2>& families,
                                         const std::array<Member, 2>& members, std::uint64_t budget,
                                         const std::string& name);

/// `count` configurations, four members a family; every claim is a CHECK, and so is that the survey
/// met the floor, faults and streams that end well. WEIR_CONFIGURATIONS overrides the count,
/// WEIR_CONFIGURATION_SEED the seed.
void survey_configurations(std::uint64_t count, bool own_sizes = false);

/// `count` pairs of loaders that share the sum of their floors, or up to twice that: both complete,
/// with the rows they have alone.
void survey_pairs(std::uint64_t count);

}  // namespace weir::test
