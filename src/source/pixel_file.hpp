#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "base/file_descriptor.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "weir/image.hpp"
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

/// Pixels that a source writes as a binary PNM, for which weir needs no decoder.
class PixelSample {
 public:
  PixelSample(ImageSize size, PixelFormat format)
      : header_(concat("P", format == PixelFormat::grey8 ? "5 " : "6 ", size.width, ' ',
                       size.height, " 255\n")),
        pixel_bytes_(image_bytes(size, format)) {}

  std::uint64_t bytes() const noexcept { return header_.size() + pixel_bytes_; }
  /// Memory of one sample, with its header. Empty if the sink refuses it.
  std::optional<std::span<std::byte>> take(ByteSink& sink) const {
    auto memory = sink.try_take(static_cast<std::size_t>(bytes()));
    if (memory) std::memcpy(memory->data(), header_.data(), header_.size());
    return memory;
  }
  /// The part of that memory for rows, columns and channels, interleaved.
  std::span<std::byte> pixels(std::span<std::byte> memory) const noexcept {
    return memory.subspan(header_.size());
  }

 private:
  std::string header_;
  std::uint64_t pixel_bytes_;
};

}  // namespace weir::source
