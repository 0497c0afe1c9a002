#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "source/checked_path.hpp"
#include "source/file_reader.hpp"
#include "source/fingerprint.hpp"
#include "source/name_table.hpp"
#include "source/plane_names.hpp"
#include "source/stems.hpp"
#include "weir/source.hpp"

namespace weir::source {
namespace {

/// A source with annotations from a table.
class WithTable : public AnySource {
 public:
  WithTable(AnySource images, const std::vector<std::string>& annotations)
      : AnySource(std::move(images)) {
    ends_.reserve(annotations.size());
    std::size_t bytes = 0;
    for (const auto& one : annotations) {
      most_ = std::max<std::uint64_t>(most_, one.size());
      bytes += one.size();
    }
    text_.reserve(bytes);
    for (const auto& one : annotations) {
      text_ += one;
      ends_.push_back(text_.size());
    }
  }

  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    auto sample = AnySource::try_read(i, sink);
    if (!sample) return std::nullopt;
    const auto begin = i == 0 ? 0 : ends_[i - 1];
    sample->annotation = std::as_bytes(std::span(text_)).subspan(begin, ends_[i] - begin);
    return sample;
  }
  std::optional<std::uint64_t> annotation_bytes() const { return most_; }
  std::uint64_t index_bytes() const {
    return add_sat(AnySource::index_bytes(),
                   sizeof(*this) + held_bytes(text_) + ends_.capacity() * sizeof(std::size_t));
  }
  std::string fingerprint() const {
    auto text = source::fingerprint(static_cast<const AnySource&>(*this)) + text_;
    for (const auto end : ends_) text += ' ' + std::to_string(end);
    return fingerprint_of_text(text);
  }

 private:
  std::string text_;
  std::vector<std::size_t> ends_;
  std::uint64_t most_ = 0;
};
static_assert(Source<WithTable>);

/// The files of annotations below a folder. Thread-safe.
class AnnotationFiles {
 public:
  /// `extension`: with its dot.
  AnnotationFiles(const AnySource& images, const std::string& folder, const std::string& extension,
                  std::uint64_t max_encoded_bytes)
      : reader_(open_folder(checked_path(folder, "annotations: folder"),
                            "`annotations`: cannot open " + sanitize(folder), O_PATH),
                FollowSymlinks::yes, max_encoded_bytes) {
    for (const auto folders : each_folders) {
      folders_ = folders;
      look_up(Stems(images, folders), images.size(), extension, max_encoded_bytes);
      if (missing_.size() < images.size()) break;
    }
    files_.shrink();
  }

  std::optional<std::span<const std::byte>> read(std::uint64_t i, ByteSink& sink) const {
    return reader_.read_annotation(files_[i], sink);
  }
  /// The samples that have no file.
  const std::vector<std::uint64_t>& missing() const noexcept { return missing_; }
  /// Those of the stems that the files have.
  Folders folders() const noexcept { return folders_; }
  std::uint64_t most() const noexcept { return most_; }
  std::uint64_t bytes() const noexcept {
    return files_.bytes() + missing_.capacity() * sizeof(std::uint64_t);
  }

 private:
  void look_up(const Stems& stems, std::uint64_t samples, const std::string& extension,
               std::uint64_t limit) {
    files_ = {};
    missing_.clear();
    for (std::uint64_t i = 0; i < samples; ++i) {
      const auto file = stems[i] + extension;
      const auto bytes = is_below(file) ? reader_.size_of(file.c_str()) : std::nullopt;
      // An empty name: the sample has none.
      files_.add("", bytes ? file : std::string());
      if (!bytes) missing_.push_back(i);
      most_ = std::max(most_, counted_annotation(bytes.value_or(0), limit));
    }
  }

  FileReader reader_;
  Folders folders_{};
  NameTable files_;
  std::vector<std::uint64_t> missing_;
  std::uint64_t most_ = 0;
};

/// A source with an annotation from a file for each sample.
class WithFiles : public AnySource {
 public:
  WithFiles(AnySource images, AnnotationFiles files)
      : AnySource(std::move(images)), files_(std::move(files)) {}

  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    auto sample = AnySource::try_read(i, sink);
    if (!sample || !sink.wants_annotation()) return sample;
    const auto bytes = files_.read(i, sink);
    if (!bytes) return std::nullopt;
    sample->annotation = *bytes;
    return sample;
  }
  std::optional<std::uint64_t> annotation_bytes() const { return files_.most(); }
  std::uint64_t index_bytes() const {
    return add_sat(AnySource::index_bytes(), sizeof(*this) + files_.bytes());
  }

 private:
  AnnotationFiles files_;
};
static_assert(Source<WithFiles>);

}  // namespace
}  // namespace weir::source

weir::AnySource weir::with_annotations(AnySource images,
                                       const std::vector<std::string>& annotations) {
  if (annotations.size() != images.size())
    refuse(Stage::read, "`annotations`: ", annotations.size(), " annotations and ", images.size(),
           " samples; there must be as many, empty ones too");
  return source::WithTable(std::move(images), annotations);
}

weir::AnySource weir::with_annotations(AnySource images, const std::string& folder,
                                       const std::string& extension, MissingPlane missing,
                                       const FolderOptions& options) {
  if (extension.size() < 2 || extension.front() != '.' ||
      extension.find_first_of(std::string("/\0", 2)) != extension.npos)
    refuse(Stage::read, "`annotations`: extension = '", sanitize(extension),
           "': must be a dot and more, as in .txt");
  source::AnnotationFiles files(images, folder, extension, options.max_encoded_bytes);
  const source::Stems stems(images, files.folders());
  const auto& lonely = files.missing();
  if (!lonely.empty() && lonely.size() == images.size())
    refuse(Stage::read, "`annotations`: none of ", images.size(), " samples has a file in ",
           sanitize(folder), "; the first one would be ", sanitize(stems[0] + extension));
  if (!lonely.empty() && missing == MissingPlane::error)
    refuse(Stage::read, "`annotations`: '", sanitize(images.name(lonely[0])), "' has no file ",
           sanitize(stems[lonely[0]] + extension), " in ", sanitize(folder),
           lonely.size() == 1 ? std::string() : concat(", nor have ", lonely.size() - 1, " others"),
           ", of ", images.size(),
           " samples; `MissingPlane::absent` keeps such samples without an annotation, "
           "`MissingPlane::skip` leaves them out");
  if (lonely.empty() || missing == MissingPlane::absent)
    return source::WithFiles(std::move(images), std::move(files));
  std::vector<std::uint64_t> kept;
  for (std::uint64_t i = 0; i < images.size(); ++i)
    if (!std::ranges::binary_search(lonely, i)) kept.push_back(i);
  return subset(source::WithFiles(std::move(images), std::move(files)), std::move(kept));
}
