#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/file_descriptor.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "weir/source.hpp"

namespace weir::source {

/// An open file of pixels that are not compressed. Thread-safe.
class PixelFile {
 public:
  /// Throws Error{source_failed} with the path if it is no regular file or is compressed by gzip.
  explicit PixelFile(const std::string& path);

  const std::string& path() const noexcept { return path_; }
  /// The name of sample `number` of this file, without the folder: a data set that was moved keeps
  /// its names.
  std::string name_of(std::uint64_t number) const {
    return concat(path_.substr(path_.rfind('/') + 1), '#', number);
  }
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// Fills `to` from `offset`. Throws SampleError: `truncated` if the file has become shorter, `io`
  /// with the system's text.
  void read(std::uint64_t offset, std::span<std::byte> to) const;
  /// The byte at `offset`. Empty if it cannot be read.
  std::optional<std::uint8_t> byte_at(std::uint64_t offset) const noexcept;
  /// Throws Error{source_failed} with the path and `why`.
  template <class... Why>
  [[noreturn]] void refuse(const Why&... why) const {
    throw_error(Errc::source_failed, Stage::read, sanitize(path_), ": ", why...);
  }

 private:
  std::string path_;
  FileDescriptor file_;
  std::uint64_t bytes_ = 0;
};

}  // namespace weir::source
