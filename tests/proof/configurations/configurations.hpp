#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "proof/configurations/images.hpp"
#include "weir/weir.hpp"

namespace weir::test {

/// The inputs of the delivered rows, drawn at random: the files, their order, seed, shape, policy
/// of faults and, if it is set, max_sample_bytes.
struct Family {
  explicit Family(std::uint64_t key);
  /// Makes images keep their own sizes: padded, ragged or in buckets, with or without a bound.
  void keep_sizes(std::uint64_t key);
  /// Adds planes, required and optional ones, of several formats.
  void add_planes(std::uint64_t key);
  /// Replaces the fit by a function that chooses windows, some of which are bad or beyond the image.
  void choose_windows(std::uint64_t key);
  /// Makes the sizes of rows change with epoch and step, and with the sample if images keep their own.
  void change_sizes(std::uint64_t key);
  /// Gives each row further samples, which a transform mixes into it. Call it last.
  void add_partners(std::uint64_t key);
  std::vector<const Bytes*> files;
  Options options;  ///< without those of a Member
  std::uint64_t epochs = 1;
  /// Batches that the trainer asks for, instead of epochs.
  std::vector<std::vector<std::uint64_t>> asks;
};

/// Settings that must not change the delivered rows.
struct Member {
  std::uint32_t workers = 1, max_queue_size = 1, max_leases = 1, read_ahead = 0;
  std::optional<std::uint64_t> max_queue_bytes{};
  std::uint64_t budget = UINT64_MAX;
  Cache keep = Cache::nothing;
  std::optional<std::uint64_t> cache_bytes{};  ///< nullopt: the rest of the budget
  bool dawdles = false;                        ///< the consumer sometimes lets the queue fill up

  /// `budget` is the floor of `family` times 1 to 4, often exactly the floor. Most members with a
  /// cache have more, because the floor has no room for one.
  static Member draw(const Family& family, RandomStream& random);
  std::string to_string() const;
};

/// One run from construction to destruction.
struct Outcome {
  std::uint64_t digest = 0;  ///< pixels, labels, indices and statuses in order of delivery
  std::uint64_t rows = 0;
  std::string error;  ///< the stream's final error, if any
  std::uint64_t max_sample_bytes = 0, floor_bytes = 0, faults = 0;
  std::uint64_t hits = 0;                       ///< of the cache
  std::uint64_t peak = 0;                       ///< of the books
  std::uint64_t ceiling = 0, data_ceiling = 0;  ///< of the plan; the latter is 0 if unknown
  std::uint64_t left = 0;                       ///< live after the destructor
  std::string breach;                           ///< the finding of a thread that watched the books
  std::string partners;                         ///< a breach of their law
};

/// Aborts with a message if the run hangs, because ctest's own limit could not name the run.
Outcome run(const Family& family, const Member& member, const std::string& name);

/// Two concurrent loaders on one ledger of `budget` bytes. The first outcome has the books and the breach of both.
std::pair<Outcome, Outcome> run_together(const std::array<Family, 2>& families,
                                         const std::array<Member, 2>& members, std::uint64_t budget,
                                         const std::string& name);

/// Tests `count` configurations, four members of each family. Every property is a CHECK. Another
/// CHECK is that the survey met the floor, faults and streams that end well. WEIR_CONFIGURATIONS
/// overrides the count, WEIR_CONFIGURATION_SEED the seed.
void survey_configurations(std::uint64_t count, bool own_sizes = false);

/// Runs `count` configurations without a budget whose samples were measured, and some with one: the
/// peak is at most each ceiling of the plan. Returns how often the peak comes within a tenth of
/// the ceiling for the data.
std::uint64_t survey_ceilings(std::uint64_t count);

/// Tests `count` pairs of loaders that share the sum of their floors, or up to twice that. Both
/// complete, with the same rows as alone.
void survey_pairs(std::uint64_t count);

}  // namespace weir::test
