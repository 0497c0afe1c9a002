#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "shards/checksum.hpp"
#include "shards/new_file.hpp"

struct archive;
struct archive_entry;

namespace weir::shards {

/// Writes a shard: ustar, with times and owners of zero, so that the same members make the same
/// bytes. The file gets its name when it is complete. Not thread-safe. All calls throw
/// Error{source_failed} with the path.
class TarWriter {
 public:
  explicit TarWriter(const std::string& path);
  ~TarWriter();
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;

  /// Adds a regular file. `name` has at most 100 characters. Returns the offset of its bytes.
  std::uint64_t add(const std::string& name, std::span<const std::byte> bytes);
  /// Bytes of a member with its header, and of the end of an archive.
  static std::uint64_t member_bytes(std::uint64_t bytes) noexcept;
  static constexpr std::uint64_t end_bytes = 1024;
  /// Heap bytes that each writer needs.
  static constexpr std::uint64_t held_bytes = (256 << 10) + (64 << 10);

  /// Bytes of the file so far, without its end.
  std::uint64_t size() const noexcept { return size_; }
  /// Ends the archive and gives the file its name. Returns the checksum of the file.
  Checksum finish();

 private:
  struct Free {
    void operator()(archive* tar) const noexcept;
    void operator()(archive_entry* entry) const noexcept;
  };

  static std::ptrdiff_t take(archive*, void* self, const void* data, std::size_t count) noexcept;
  void put(std::span<const std::byte> bytes);
  void flush();
  void check(std::ptrdiff_t result);

  std::string path_;
  NewFile file_;
  RunningChecksum sum_;
  std::vector<std::byte> waiting_;  ///< bytes that are not yet written
  std::uint64_t size_ = 0;
  std::exception_ptr failure_{};  ///< libarchive calls take() and cannot pass on an exception
  bool abandoned_ = false;        ///< what libarchive still writes is dropped
  std::unique_ptr<archive, Free> tar_;
  std::unique_ptr<archive_entry, Free> entry_;
};

}  // namespace weir::shards
