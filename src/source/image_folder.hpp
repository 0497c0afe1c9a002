#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "source/class_labels.hpp"
#include "source/file_reader.hpp"
#include "source/folder_walk.hpp"
#include "source/name_table.hpp"
#include "weir/source.hpp"

namespace weir::source {

/// What a folder has beside its samples.
struct FolderNotes {
  std::vector<Unreached> unreached;  ///< entries that cannot be read, by path
  std::string
      skipped;  ///< the entries that skipped() counts, by reason; options have their library names
  bool no_samples = false;  ///< the error is that all could be listed, and nothing is a sample
};

/// Whether a folder with these FolderOptions::extensions takes a file of that name.
bool takes_file(std::string_view name, const std::vector<std::string>& extensions);

/// The source that weir::image_folder wraps. Thread-safe.
class ImageFolder {
 public:
  /// Throws Error{source_failed} if the root or a part of it cannot be listed for a temporary
  /// reason (no free descriptors, an I/O error), or has an unfinished_pack. An incomplete data set
  /// must not look complete. The same error if there is no sample, with what was left out and why,
  /// if a class is missing or not named, and if `stop` was requested. `notes` may be null.
  ImageFolder(const std::string& path, const FolderOptions& options, FolderNotes* notes = nullptr,
              const std::stop_token& stop = {});

  std::uint64_t size() const noexcept { return names_.size(); }
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const;
  /// Path relative to the root, with the bytes on disk.
  std::string name(std::uint64_t i) const { return names_[i]; }
  std::uint64_t index_bytes() const noexcept;
  /// FolderOptions::classes, or the top directories in byte order, empty ones included. Empty for a
  /// flat folder.
  std::vector<std::string> class_names() const { return classes_.names(); }
  std::optional<std::uint64_t> annotation_bytes() const noexcept { return 0; }
  /// The class of the top directory. 0 in a flat folder. -1 for a file beside the class folders.
  std::int64_t label(std::uint64_t i) const noexcept;

  /// The number of skipped entries: files with an extension that no image has, directories that
  /// cannot be read, that contain their own path, or that are none of the chosen classes, symbolic
  /// links that are not followed, and entries that are neither file nor directory.
  std::uint64_t skipped() const noexcept { return skipped_; }

 private:
  std::string path_;
  FileReader reader_;
  NameTable names_;
  ClassLabels classes_;
  std::uint64_t skipped_ = 0;
};
static_assert(Source<ImageFolder>);

}  // namespace weir::source
