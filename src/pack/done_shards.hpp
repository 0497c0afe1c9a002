#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "shards/index.hpp"
#include "source/sampler.hpp"

namespace weir::pack {

/// "shard-000007.tar".
std::string shard_name(std::uint64_t number);
/// The name of a shard's record: an index of this shard alone, whose names are Origins.
std::string record_name(std::uint64_t number);

/// What a sample of a shard was made of. A run that goes on compares it.
struct Origin {
  source::Position position{};
  std::uint64_t checksum = 0;  ///< XXH3-64 of the bytes that the source gave
  std::uint64_t need = 0;      ///< bytes of memory that it took to make the sample
};
/// The text of an Origin has at most so many characters.
inline constexpr std::uint64_t most_origin_text = 3 * 20 + 2;
std::string to_text(const Origin& origin);

/// A shard that an earlier run has completed, by its record.
struct DoneShard {
  shards::Index record{};                    ///< its samples, with an Index of one shard
  source::Position begin{}, end{};           ///< its positions, with those that were left out
  std::vector<source::Position> left_out{};  ///< positions of samples that are not in it
  bool holds = false;                        ///< whether the file has the size and the checksum
};

/// Of a sample of a record that find_done() or ShardWriter gave.
Origin origin_of(const shards::Index& record, const shards::Sample& sample);

/// The shards of an earlier run, from the first one to the first without a valid record. Stops when
/// requested; then the result is empty.
std::vector<DoneShard> find_done(const std::string& folder, const source::Sampler& sampler,
                                 unsigned threads, const std::stop_token& stop);

}  // namespace weir::pack
