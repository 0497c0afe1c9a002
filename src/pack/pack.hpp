#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "pack/member.hpp"
#include "weir/error.hpp"
#include "weir/ledger.hpp"
#include "weir/order.hpp"
#include "weir/source.hpp"

namespace weir::pack {

/// What to pack, and how.
struct Job {
  std::string out;  ///< folder of the shards; it is made, or is empty, or is of an earlier pack
  Recipe recipe{};
  /// Writes each image to `out` as a file of its name, without label, planes and annotation.
  bool files = false;
  Order order{};  ///< of the samples in the shards: that of epoch 0
  std::uint64_t seed = 0;
  /// Most bytes of a shard. A shard has at least one sample, however large.
  std::uint64_t shard_bytes = 256ull << 20;
  bool skip_faults = false;  ///< leaves bad samples out; false: the first one ends the pack
  unsigned workers = 0;      ///< threads that make members; 0: one per CPU
  std::uint64_t budget_bytes = UINT64_MAX, max_sample_bytes = 0;
  std::stop_token stop{};
  std::function<void(const Fault&)> on_fault{};  ///< called for each sample that is left out
};

/// Counts while a pack runs. Thread-safe.
struct Counts {
  std::atomic<std::uint64_t> done{0};  ///< samples that are stored or left out
  std::atomic<std::uint64_t> live{0};  ///< bytes on the books
};

/// Images that this run has packed.
struct TiledImages {
  std::uint64_t images = 0;
  std::uint64_t bytes_before = 0, bytes = 0;  ///< without and with tiles
};

/// What a pack has done.
struct Packed {
  std::uint64_t samples = 0;       ///< in the shards, or as files
  std::uint64_t kept_files = 0;    ///< written by an earlier run
  std::uint64_t shards = 0;        ///< in the folder
  std::uint64_t kept_shards = 0;   ///< made by an earlier run
  std::uint64_t source_bytes = 0;  ///< encoded bytes of the samples that this run has packed
  std::uint64_t stored_bytes = 0;  ///< bytes of their images and planes in the shards
  std::uint64_t shard_bytes = 0;   ///< of all shards
  std::uint64_t narrowed = 0;      ///< images whose 16 bits or alpha became 8-bit JPEGs in this run
  std::uint64_t unfit = 0;         ///< images that became smaller in this run and have annotations
  /// With Recipe::tiles, by the tiles in each row; 0: those that have none and stay as they are.
  std::map<std::uint32_t, TiledImages> tiled{};
  std::uint64_t fault_count = 0;  ///< samples that were left out
  std::vector<Fault> faults;      ///< the first ones
  MemorySnapshot memory{};        ///< at the end
  bool stopped = false;           ///< a stop was requested; run it again to go on
};

/// Writes tar shards of all samples of `source`, and their index. The files depend on source, order,
/// seed and recipe alone. A member's key is its position in the order, so bad samples leave gaps. A
/// plane becomes a member KEY.NAME.EXTENSION.
///
/// Shards get their names when they are complete and on the disk; the index comes last. So a pack
/// that was ended, in any way, goes on when it is run again with the same job. It keeps the shards
/// whose checksum holds, and reads their samples to compare them. Throws Error{bad_options} for a
/// folder of another job or data that have changed, std::system_error if it cannot write, Error{sample_failed} for the first bad sample without `skip_faults`,
/// Error{budget_too_small}, and what the source throws.
///
/// With Job::files there are no shards. A file that is there stays: it is of an earlier run, because the
/// folder was empty before the first one. All class folders are made, so labels stay. While
/// one is missing, the folder has a source::unfinished_pack. Throws Error{bad_options}, too, for a
/// name that leads out of the folder or that two samples have.
Packed pack(const AnySource& source, const Job& job, Counts& counts);

}  // namespace weir::pack
