#pragma once

#include <dirent.h>

#include <memory>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"

namespace weir {

/// The entries of a directory, in any order. Unlike std::filesystem's iterator it does not end the
/// process if there is no memory. Not thread-safe.
class Directory {
 public:
  /// `opened` may be empty, with errno set: then next() ends at once, and errno stays.
  explicit Directory(FileDescriptor opened) noexcept;
  /// The next entry but "." and "..". Null at the end, with errno 0, or after a failure, with errno set.
  const dirent* next() noexcept;

 private:
  struct Close {
    void operator()(DIR* stream) const noexcept { ::closedir(stream); }
  };
  std::unique_ptr<DIR, Close> stream_;
};

/// The names in a folder. Throws Error{source_failed} with the path, and std::bad_alloc.
std::vector<std::string> names_in(const std::string& folder);

}  // namespace weir
