#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace weir::pack {

/// Images as files of their own in a folder. Not thread-safe.
class PlainFiles {
 public:
  explicit PlainFiles(std::string folder) : folder_(std::move(folder)) {}

  /// Whether there is anything of this name. Throws Error{bad_options} if the name leads out of the
  /// folder.
  bool has(std::string_view name) const;
  /// Writes a file, and the folders on its way. It gets its name when it is complete and on the
  /// disk. Throws Error{bad_options} if the name is taken, std::system_error.
  void write(std::string_view name, std::span<const std::byte> bytes) const;

 private:
  std::string folder_;
};

}  // namespace weir::pack
