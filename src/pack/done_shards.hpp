#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "shards/index.hpp"
#include "source/sampler.hpp"
#include "weir/source.hpp"

namespace weir::pack {

/// "shard-000007.tar".
std::string shard_name(std::uint64_t number);
/// The name of a shard's record: an index of this shard alone.
std::string record_name(std::uint64_t number);

/// A shard that an earlier run has completed, by its record.
struct DoneShard {
  shards::Index record{};                 ///< its samples, with an Index of one shard
  std::uint64_t begin = 0, end = 0;       ///< its positions, with those that were left out
  std::vector<std::uint64_t> left_out{};  ///< positions of samples that are not in it
  bool holds = false;                     ///< whether the file has the size and the checksum
};

/// The shards of an earlier run, from the first one to the first without a record. Records that do
/// not fit the names of `source` end the list, too. Stops when requested; then the result is empty.
std::vector<DoneShard> find_done(const std::string& folder, const AnySource& source,
                                 const source::Sampler& sampler, unsigned threads,
                                 const std::stop_token& stop);

}  // namespace weir::pack
