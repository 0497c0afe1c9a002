#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/file_descriptor.hpp"

namespace weir {

/// A file that is written under a temporary name and gets its name when it is complete. So nobody sees
/// half a file. The temporary name is PATH.part, or PATH.2.part and so on if other writers hold those
/// before, with less of a long name. What a killed process left is used again. Not thread-safe.
class NewFile {
 public:
  /// Throws std::system_error with the path, as all calls.
  explicit NewFile(const std::string& path);
  /// Removes the temporary file if commit() was not called.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::span<const std::byte> bytes);
  /// What is written, for those who write by the system's calls.
  const FileDescriptor& file() const noexcept { return file_; }
  /// Number of bytes that write() has written.
  std::uint64_t size() const noexcept { return size_; }
  /// Writes through to the disk, renames, and writes the folder's entry through. A file on which another
  /// is mounted, as one of a container, cannot be replaced, so it gets the content. If this fails, the
  /// temporary file stays, and the error names it.
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;
  bool take(const std::string& temporary);
  void overwrite();

  std::string path_, temporary_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
};

/// The file to which symbolic links at `path` lead: the one to replace. It need not exist. Throws
/// std::system_error if it is a folder, or anything else that is no regular file.
std::string file_to_replace(const std::string& path);

}  // namespace weir
