#pragma once

#include <cstdint>
#include <span>

#include "source/file_descriptor.hpp"
#include "weir/source.hpp"

namespace weir::source {

/// Which symbolic links are followed. `inside`: those to a file whose real path lies under the
/// root. `all`: whoever wrote the path answers for it.
enum class Links : std::uint8_t { inside, all };

/// Reads whole files that nobody vouches for, by path relative to a root directory. Any thread.
class FileReader {
 public:
  FileReader(FileDescriptor root, Links links, std::uint64_t max_encoded_bytes) noexcept
      : root_(std::move(root)), max_encoded_bytes_(max_encoded_bytes), links_(links) {}

  /// Takes the file's size from `sink`, then reads that many bytes. Never waits for a FIFO, a
  /// terminal or a device. Throws SampleError: `unsupported` for what is no regular file or is a
  /// link out of the root, `corrupt` for an empty file, `limit` above max_encoded_bytes,
  /// `truncated` where the file shrank, `io` with the system's words.
  std::span<const std::byte> read(const char* path, ByteSink& sink) const;

  /// Whether the symbolic link at `path` leads to a regular file under the root.
  bool link_leads_inside(const char* path) const;

  int root() const noexcept { return root_.value(); }

 private:
  FileDescriptor open(const char* path) const;
  FileDescriptor link_target(const char* path) const;

  FileDescriptor root_;
  std::uint64_t max_encoded_bytes_;
  Links links_;
};

}  // namespace weir::source
