#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.hpp"
#include "weir/rows.hpp"

namespace weir::shards {

/// The name of the file. There is one for a data set.
inline constexpr std::string_view index_name = "index.weir";
/// A folder with this file and without an index is of a `weir pack` that has not ended.
inline constexpr std::string_view pack_note = "pack.txt";

/// One shard of the data set.
struct Shard {
  std::string name;         ///< path relative to the folder of the index, without ".."
  std::uint64_t bytes = 0;  ///< of the file
  std::uint64_t first = 0;  ///< index of its first sample
  Checksum checksum{};      ///< of the file
};

/// One sample, in memory as in the file. Samples are in the order of their shards and offsets.
struct Sample {
  std::uint64_t offset = 0;    ///< of the first byte of the image in its shard
  std::uint64_t name = 0;      ///< offset of the name in Index::text; above 0
  std::int64_t label = 0;      ///< any number
  std::uint64_t checksum = 0;  ///< XXH3-64 of the bytes
  std::uint32_t bytes = 0;     ///< size of the image
  std::uint32_t shard = 0;     ///< position in Index::shards
  std::uint16_t height = 0;    ///< of the upright image; 0: unknown, as is the width then
  std::uint16_t width = 0;     ///< of the upright image
  std::uint32_t reserved = 0;  ///< 0
};
static_assert(sizeof(Sample) == 48);

/// Sets height and width. Both are unknown if one is 0 or has more than 16 bits.
void set_size(Sample& sample, ImageSize size) noexcept;

/// What a data set of shards consists of.
struct Index {
  std::vector<Shard> shards;
  std::vector<Sample> samples;
  std::vector<char> text{'\0'};  ///< names, each followed by NUL
  std::uint64_t skipped = 0;     ///< samples without an image, which are left out
  /// ShardOptions::label of all labels. Empty: they are not in members, or nobody knows where.
  std::string label{"cls"};

  /// Adds a name without NUL, and returns its offset in `text`.
  std::uint64_t add_name(std::string_view name);
  const char* name(const Sample& sample) const noexcept { return text.data() + sample.name; }
  /// The samples of a shard.
  std::span<const Sample> samples_of(std::size_t shard) const noexcept;
  /// Heap bytes.
  std::uint64_t held_bytes() const noexcept;
};

/// Writes the index under a temporary name, writes it through to the disk, and renames it. Throws
/// std::system_error with the path.
void write_index(const std::string& path, const Index& index);

/// Reads an index whole and validates it: the checksum, every range inside its shard, none
/// overlapping, every name. Memory for more than a piece is used only if the first piece is valid. Throws
/// Error{source_failed} with the path and what to do, also if memory does not suffice for the tables,
/// and std::bad_alloc.
Index read_index(const std::string& path);

}  // namespace weir::shards
