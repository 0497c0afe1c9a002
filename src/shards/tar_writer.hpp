#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.hpp"
#include "base/new_file.hpp"

namespace weir::shards {

/// Writes a shard: ustar, with times and owners of zero, so that the same members make the same
/// bytes. The file gets its name when it is complete. Not thread-safe. All calls throw
/// std::system_error with the path, and std::bad_alloc.
class TarWriter {
 public:
  explicit TarWriter(const std::string& path);

  /// Adds a regular file of less than 8 GiB. `name` has at most 100 characters. Returns the offset of
  /// its bytes.
  std::uint64_t add(std::string_view name, std::span<const std::byte> bytes);
  /// Bytes of a member with its header, and of the end of an archive.
  static std::uint64_t member_bytes(std::uint64_t bytes) noexcept;
  static constexpr std::uint64_t end_bytes = 1024;
  /// Heap bytes that each writer needs.
  static constexpr std::uint64_t held_bytes = 256 << 10;

  /// Bytes of the file so far.
  std::uint64_t size() const noexcept { return size_; }
  /// Ends the archive and gives the file its name. Returns the checksum of the file.
  Checksum finish();

 private:
  void put(std::span<const std::byte> bytes);
  void flush();

  NewFile file_;
  RunningChecksum sum_;
  std::vector<std::byte> waiting_;  ///< bytes that are not yet written
  std::uint64_t size_ = 0;
};

}  // namespace weir::shards
