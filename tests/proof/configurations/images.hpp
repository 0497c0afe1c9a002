#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/source.hpp"

namespace weir::test {

/// Kinds of encoded files in a data set. `photograph`: baseline JPEGs with sides of 30 to 260
/// pixels, and a few real ones if WEIR_TEST_DATA is set.
enum class Kind : std::uint8_t { photograph, huge, tiny, progressive, png, webp, broken };
inline constexpr std::size_t kind_count = 7;

using Bytes = std::vector<std::byte>;

/// Every file of a kind, made once. Any thread.
const std::vector<Bytes>& images_of(Kind kind);

/// A JPEG of `width` x `height`, progressive or not.
Bytes make_jpeg(std::uint32_t width, std::uint32_t height, bool progressive);
/// A PNG of 8-bit RGB, interlaced or not.
Bytes make_png(std::uint32_t width, std::uint32_t height, bool interlaced);
/// Writes `files` files into an empty folder: a JPEG and a PNG in turns, always the same two.
void fill_with_images(const std::filesystem::path& folder, int files);

/// Files stored elsewhere, as on a disk: a read copies one into the sink's memory. Any thread.
/// `files` must outlive it.
class Files {
 public:
  explicit Files(std::vector<const Bytes*> files, std::uint64_t index_bytes = 0)
      : files_(std::make_shared<const std::vector<const Bytes*>>(std::move(files))),
        index_bytes_(index_bytes) {}
  std::uint64_t size() const { return files_->size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const;
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::optional<std::int64_t> label(std::uint64_t i) const {
    return static_cast<std::int64_t>(i % 10);
  }
  std::uint64_t index_bytes() const { return index_bytes_; }
  /// The planes of a sample are other files. One in five is absent.
  std::vector<std::string> planes() const { return {"first", "second"}; }

 private:
  std::shared_ptr<const std::vector<const Bytes*>> files_;
  std::uint64_t index_bytes_;
};

}  // namespace weir::test
