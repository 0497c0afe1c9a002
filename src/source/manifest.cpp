#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "source/checked_path.hpp"
#include "source/class_labels.hpp"
#include "source/file_reader.hpp"
#include "source/name_table.hpp"
#include "source/plane_names.hpp"
#include "weir/source.hpp"

namespace weir::source {
namespace {

constexpr std::size_t piece_bytes = 16 << 20;

/// A list of files in the order of the manifest, with planes if its first line names them. Thread-safe.
class Manifest {
 public:
  Manifest(const std::string& tsv, const FolderOptions& options)
      : tsv_(checked_path(tsv, "manifest: tsv")),
        most_bytes_(options.max_encoded_bytes),
        reader_(open_its_folder(), FollowSymlinks::yes, most_bytes_),
        text_(read_text()),
        classes_(options.classes) {
    parse();
  }

  std::uint64_t size() const noexcept { return starts_.size(); }
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    auto sample = read(i, field(i, 0), sink);
    for (std::size_t plane = 0; sample && plane < planes_.size(); ++plane) {
      const auto bytes = read_plane(i, plane, sink);
      if (!bytes) return std::nullopt;
      (void)sample->planes.add(*bytes);
    }
    if (sample && annotation_ > 0 && sink.wants_annotation()) {
      const auto bytes = reader_.read_annotation(field(i, annotation_), sink);
      if (!bytes) return std::nullopt;
      sample->annotation = *bytes;
    }
    return sample;
  }
  std::optional<std::uint64_t> annotation_bytes() const {
    std::uint64_t most = 0;
    for (std::uint64_t i = 0; annotation_ > 0 && i < size(); ++i)
      most = std::max(most, counted_annotation(reader_.size_of(field(i, annotation_)).value_or(0),
                                               most_bytes_));
    return most;
  }
  std::vector<std::string> planes() const { return planes_; }
  std::string name(std::uint64_t i) const { return field(i, 0); }
  std::string plane_name(std::uint64_t i, std::size_t plane) const {
    return field(i, plane_columns_[plane]);
  }
  std::int64_t label(std::uint64_t i) const noexcept { return labels_[i]; }
  std::vector<std::string> class_names() const { return classes_; }
  std::uint64_t index_bytes() const noexcept {
    return sizeof(*this) + held_bytes(tsv_) + held_bytes(text_) + held_bytes(classes_) +
           held_bytes(planes_) + plane_columns_.capacity() * sizeof(std::size_t) +
           starts_.capacity() * sizeof(std::uint64_t) + labels_.capacity() * sizeof(std::int64_t);
  }

 private:
  static constexpr std::size_t first_column = 2;  ///< behind path and label

  /// A field of a line, each of which ends with NUL.
  const char* field(std::uint64_t i, std::size_t number) const noexcept {
    const char* at = text_.c_str() + starts_[i];
    for (; number > 0; --number) at += std::strlen(at) + 1;
    return at;
  }

  std::optional<Encoded> read(std::uint64_t i, const char* path, ByteSink& sink) const {
    try {
      return reader_.read(path, labels_[i], sink);
    } catch (const SampleError& e) {
      if (e.kind() != FaultKind::io) throw;
      const bool tab = columns_ == 0 && std::string_view(path).find('\t') != std::string_view::npos;
      throw SampleError(e.kind(), e.what() + (concat("; entry ", i + 1)) + " of " + sanitize(tsv_) +
                                      ", whose relative paths begin at its folder" +
                                      (tab ? "; only the last TAB of a line ends the path" : ""));
    }
  }

  std::optional<EncodedPlanes::Plane> read_plane(std::uint64_t i, std::size_t plane,
                                                 ByteSink& sink) const {
    const char* const path = field(i, plane_columns_[plane]);
    if (*path == '\0' || !sink.wants(plane)) return EncodedPlanes::Plane();
    try {
      const auto image = read(i, path, sink);
      return image ? std::optional(image->bytes) : std::nullopt;
    } catch (const SampleError& error) {
      return without_plane(sink, plane, planes_[plane], path, error);
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Errc::source_failed, Stage::read, "manifest " + sanitize(tsv_) + what);
  }
  [[noreturn]] void fail(std::uint64_t line, const std::string& what) const {
    throw_error(Errc::source_failed, Stage::read, sanitize(tsv_), ":", line, ": ", what);
  }

  FileDescriptor open_its_folder() const {
    const auto slash = tsv_.rfind('/');
    return open_folder(slash == std::string::npos ? "." : tsv_.substr(0, slash + 1),
                       "manifest " + sanitize(tsv_) + ": cannot open its folder", O_PATH);
  }

  std::string read_text() const {
    const auto opened = open_regular(tsv_);
    if (!opened.file) fail(": " + opened.why());
    const auto size = static_cast<std::size_t>(opened.bytes);
    if (size > most_list_bytes)
      fail(concat(" has ", size, " bytes; the most is ", most_list_bytes));
    std::string text;
    // Read in pieces and check each for NUL bytes. So a sparse file fails at its first hole and
    // needs little memory.
    for (std::size_t done = 0; done < size; done = text.size()) {
      text.resize(std::min(size, done + piece_bytes));
      const auto piece = std::span(text).subspan(done);
      const auto got = read_full(opened.file, std::as_writable_bytes(piece));
      refuse_nul(text, done, got);
      if (got < piece.size())
        fail(errno == 0 ? ": the file ended while it was read"
                        : ": cannot read: " + errno_text(errno));
    }
    text.shrink_to_fit();
    return text;
  }

  void refuse_nul(const std::string& text, std::size_t from, std::size_t count) const {
    const auto at = std::string_view(text).substr(from, count).find('\0');
    if (at == std::string_view::npos) return;
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(from + at);
    fail(1 + static_cast<std::uint64_t>(std::count(text.begin(), end, '\n')), "a NUL byte");
  }

  // The text becomes the table of names: NUL replaces the TAB after each path and, if the first line
  // names planes, each other TAB and the end of each line.
  void parse() {
    auto rest = without_byte_order_mark(text_);
    std::uint64_t line = 1;
    for (; !rest.empty(); ++line) {
      const auto text = take_line(rest);
      const auto begin = static_cast<std::size_t>(text.data() - text_.data());
      if (text.empty() || text.front() == '#') continue;
      if (starts_.empty() && columns_ == 0 && is_header(text))
        add_planes(line, text);
      else
        add(line, begin, columns_ > 0 ? first_columns(line, begin, text) : text);
    }
    if (starts_.empty())
      fail(concat(": no samples: ", line - 1, " lines, each empty",
                  columns_ > 0 ? ", a comment or the header" : " or a comment"));
    starts_.shrink_to_fit();
    labels_.shrink_to_fit();
  }

  /// A line without a header ends with a number.
  static bool is_header(std::string_view text) {
    return text.starts_with("path\t") &&
           !parse_number<std::int64_t>(text.substr(text.rfind('\t') + 1));
  }

  void add_planes(std::uint64_t line, std::string_view header) {
    for (std::size_t begin = 0; begin <= header.size(); ++columns_) {
      const auto end = std::min(header.find('\t', begin), header.size());
      std::string name(header.substr(begin, end - begin));
      begin = end + 1;
      if (columns_ == 1 && name != "label")
        fail(line, "the second column of a header is 'label', not '" + sanitize(name, 40) + "'");
      if (columns_ < first_column) continue;
      if (name == "annotation" && annotation_ == 0) {
        annotation_ = columns_;
        continue;
      }
      if (const auto why = not_a_plane(name, planes_); !why.empty())
        fail(line, concat("column ", columns_ + 1, " is ", why));
      planes_.push_back(std::move(name));
      plane_columns_.push_back(columns_);
    }
    planes_.shrink_to_fit();
  }

  /// Path and label of a line. All its fields get their NUL, except the path.
  std::string_view first_columns(std::uint64_t line, std::size_t begin, std::string_view text) {
    const auto columns = static_cast<std::size_t>(std::ranges::count(text, '\t')) + 1;
    if (columns != columns_)
      fail(line, concat("has ", columns, " columns and the header ", columns_,
                        "; the column of an absent plane is empty"));
    const auto label = text.find('\t') + 1;
    const auto end = std::min(text.find('\t', label), text.size());
    for (auto at = begin + end; at < begin + text.size(); ++at)
      if (text_[at] == '\t') text_[at] = '\0';
    if (begin + text.size() < text_.size()) text_[begin + text.size()] = '\0';
    return text.substr(0, end);
  }

  void add(std::uint64_t line, std::size_t begin, std::string_view text) {
    const auto tab = text.rfind('\t');
    if (tab == std::string_view::npos)
      fail(line,
           "'" + sanitize(text, 40) + "' has no TAB; each line of a manifest is path<TAB>label");
    if (tab == 0) fail(line, "the path is empty");
    const auto figure = text.substr(tab + 1);
    const auto label = parse_number<std::int64_t>(figure);
    if (!label) {
      fail(line, "the label is not a whole number of 64 bits: '" + sanitize(figure, 40) +
                     "'; give each class a number");
    }
    if (const auto why = not_a_class(*label, classes_); !why.empty()) fail(line, "label " + why);
    starts_.push_back(begin);
    labels_.push_back(*label);
    text_[begin + tab] = '\0';
  }

  std::string tsv_;
  std::uint64_t most_bytes_;
  FileReader reader_;
  std::string text_;
  std::vector<std::uint64_t> starts_;
  std::vector<std::int64_t> labels_;
  std::vector<std::string> classes_;
  std::vector<std::string> planes_{};
  std::vector<std::size_t> plane_columns_{};
  std::size_t annotation_ = 0;  ///< its column; 0: there is none
  std::size_t columns_ = 0;     ///< of the header; 0: there is none
};
static_assert(Source<Manifest>);

}  // namespace
}  // namespace weir::source

weir::AnySource weir::manifest(const std::string& tsv, const FolderOptions& options) {
  return source::Manifest(tsv, options);
}
