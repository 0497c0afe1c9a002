#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/file_descriptor.hpp"
#include "weir/source.hpp"

namespace weir::source {

/// Throws Error{source_failed} that begins with `what`. `flags`: for open().
FileDescriptor open_folder(const std::string& path, const std::string& what, int flags);

/// Reads whole untrusted files, by path relative to a root directory. Thread-safe.
class FileReader {
 public:
  FileReader(FileDescriptor root, FollowSymlinks links, std::uint64_t max_encoded_bytes) noexcept
      : root_(std::move(root)), max_encoded_bytes_(max_encoded_bytes), links_(links) {}

  /// Requests the file's size from `sink`, then reads that many bytes. Never waits for a FIFO, a
  /// terminal or a device. Empty if the sink refuses the bytes. Throws SampleError: `unsupported`
  /// if it is not a regular file or is a link that is not followed, `corrupt` for an empty file,
  /// `limit` above max_encoded_bytes, `truncated` if the file shrank, `io` with the system's text.
  std::optional<Encoded> read(const char* path, std::int64_t label, ByteSink& sink) const;
  /// The same for an annotation, which may have no bytes. An empty `path`: there is none.
  std::optional<std::span<const std::byte>> read_annotation(const char* path, ByteSink& sink) const;
  /// Bytes of the file. Empty if there is no regular file at `path`.
  std::optional<std::uint64_t> size_of(const char* path) const;

  /// The target of the symbolic link at `path`. `nothing` if the link is not followed.
  /// `unreachable`, with errno set, if the target does not exist. Throws SampleError{io} if the
  /// target cannot be determined now.
  enum class Behind : std::uint8_t { nothing, unreachable, file, directory };
  Behind behind_link(const char* path) const;

  int root() const noexcept { return root_.value(); }
  FollowSymlinks links() const noexcept { return links_; }

 private:
  FileDescriptor open(const char* path) const;
  std::optional<std::span<const std::byte>> read_bytes(const char* path, ByteSink& sink) const;
  FileDescriptor link_target(const char* path) const;
  bool lies_inside(const FileDescriptor& file) const;

  FileDescriptor root_;
  std::uint64_t max_encoded_bytes_;
  FollowSymlinks links_;
};

}  // namespace weir::source
