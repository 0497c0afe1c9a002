#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "source/file_reader.hpp"
#include "source/folder_walk.hpp"
#include "source/name_table.hpp"
#include "weir/source.hpp"

namespace weir::source {

/// What weir::image_folder wraps. Any thread.
class ImageFolder {
 public:
  /// Throws Error{source_failed} where the root, or part of what is under it, cannot be listed for
  /// a reason that may pass (no descriptors left, an I/O error): half a data set must not look whole.
  /// What it could not look at is put into `unreached`.
  ImageFolder(const std::string& path, const FolderOptions& options,
              std::vector<Unreached>* unreached = nullptr);

  std::uint64_t size() const noexcept { return names_.size(); }
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const;
  /// Path relative to the root, as the bytes it has on disk.
  std::string name(std::uint64_t i) const { return names_[i]; }
  std::uint64_t index_bytes() const noexcept;
  /// The top directories, empty ones too, in byte order. None: a flat folder.
  std::vector<std::string> class_names() const { return classes_; }
  /// Rank of the top directory; 0 in a flat folder; -1 for a file that lies beside the class folders.
  std::int64_t label(std::uint64_t i) const noexcept;

  /// Entries left out: directories that may not be read or that the path came through already,
  /// symbolic links that are not followed, and what is neither file nor directory.
  std::uint64_t skipped() const noexcept { return skipped_; }

 private:
  std::string path_;
  FileReader reader_;
  NameTable names_;
  std::vector<std::string> classes_;
  std::uint64_t skipped_ = 0;
};
static_assert(Source<ImageFolder>);

}  // namespace weir::source
