#include <fcntl.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "source/checked_path.hpp"
#include "source/class_labels.hpp"
#include "source/file_reader.hpp"
#include "source/name_table.hpp"
#include "weir/source.hpp"

namespace weir::source {
namespace {

/// A list of files in the caller's order. Thread-safe.
class ImageFiles {
 public:
  ImageFiles(const std::vector<std::string>& paths, const std::vector<std::int64_t>& labels,
             const FolderOptions& options)
      : reader_(open_folder(".", "image_files: cannot open the current folder", O_PATH),
                FollowSymlinks::yes, options.max_encoded_bytes),
        labels_(labels),
        classes_(options.classes) {
    if (paths.empty()) refuse(Stage::read, "image_files: paths is empty; name at least one file");
    if (!labels.empty() && labels.size() != paths.size())
      refuse(Stage::read, "image_files: ", paths.size(), " paths and ", labels.size(),
             " labels; there must be as many, or no labels");
    for (std::size_t i = 0; i < paths.size(); ++i) add(i, paths[i]);
    names_.shrink();
  }

  std::uint64_t size() const noexcept { return names_.size(); }
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    return reader_.read(names_[i], label(i), sink);
  }
  std::string name(std::uint64_t i) const { return names_[i]; }
  std::int64_t label(std::uint64_t i) const noexcept { return labels_.empty() ? 0 : labels_[i]; }
  std::vector<std::string> class_names() const { return classes_; }
  std::optional<std::uint64_t> annotation_bytes() const noexcept { return 0; }
  std::uint64_t index_bytes() const noexcept {
    return sizeof(*this) + names_.bytes() + labels_.capacity() * sizeof(std::int64_t) +
           held_bytes(classes_);
  }

 private:
  void add(std::size_t i, const std::string& path) {
    const auto at = concat('[', i, ']');
    if (path.empty()) refuse(Stage::read, "image_files: paths", at, " is empty");
    if (!labels_.empty())
      if (const auto why = not_a_class(labels_[i], classes_); !why.empty())
        refuse(Stage::read, "image_files: labels", at, " = ", why);
    names_.add("", checked_path(path, "image_files: paths", at));
  }

  FileReader reader_;
  NameTable names_;
  std::vector<std::int64_t> labels_;
  std::vector<std::string> classes_;
};
static_assert(Source<ImageFiles>);

}  // namespace
}  // namespace weir::source

weir::AnySource weir::image_files(const std::vector<std::string>& paths,
                                  const std::vector<std::int64_t>& labels,
                                  const FolderOptions& options) {
  return source::ImageFiles(paths, labels, options);
}
