#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "source/class_labels.hpp"
#include "source/file_reader.hpp"
#include "source/name_table.hpp"
#include "weir/source.hpp"

namespace weir::source {
namespace {

constexpr std::size_t piece_bytes = 16 << 20;

/// A list of files in the order of the manifest. Thread-safe.
class Manifest {
 public:
  Manifest(const std::string& tsv, const FolderOptions& options)
      : tsv_(tsv),
        reader_(open_folder(), FollowSymlinks::yes, options.max_encoded_bytes),
        text_(read_text()),
        classes_(options.classes) {
    parse();
  }

  std::uint64_t size() const noexcept { return starts_.size(); }
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    const char* const path = text_.c_str() + starts_[i];
    try {
      return reader_.read(path, labels_[i], sink);
    } catch (const SampleError& e) {
      if (e.kind() != FaultKind::io) throw;
      const bool tab = std::string_view(path).find('\t') != std::string_view::npos;
      throw SampleError(e.kind(), e.what() + (concat("; entry ", i + 1)) + " of " + sanitize(tsv_) +
                                      ", whose relative paths begin at its folder" +
                                      (tab ? "; only the last TAB of a line ends the path" : ""));
    }
  }
  std::string name(std::uint64_t i) const { return text_.c_str() + starts_[i]; }
  std::vector<std::string> class_names() const { return classes_; }
  std::uint64_t index_bytes() const noexcept {
    return sizeof(*this) + held_bytes(tsv_) + held_bytes(text_) + held_bytes(classes_) +
           starts_.capacity() * sizeof(std::uint64_t) + labels_.capacity() * sizeof(std::int64_t);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Errc::source_failed, Stage::read, "manifest " + sanitize(tsv_) + what);
  }
  [[noreturn]] void fail(std::uint64_t line, const std::string& what) const {
    throw_error(Errc::source_failed, Stage::read, sanitize(tsv_), ":", line, ": ", what);
  }

  FileDescriptor open_folder() const {
    const auto slash = tsv_.rfind('/');
    const auto folder = slash == std::string::npos ? "." : tsv_.substr(0, slash + 1);
    auto root = open_at(AT_FDCWD, folder.c_str(), O_PATH | O_DIRECTORY);
    if (!root) fail(": cannot open its folder: " + errno_text(errno));
    return root;
  }

  std::string read_text() const {
    const auto file = open_at(AT_FDCWD, tsv_.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (!file) fail(": cannot open: " + errno_text(errno));
    struct stat status {};
    if (retried([&] { return ::fstat(file.value(), &status); }) != 0)
      fail(": cannot stat: " + errno_text(errno));
    if (!S_ISREG(status.st_mode)) fail(": not a regular file");
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size > most_list_bytes)
      fail(concat(" has ", size, " bytes; the most is ", most_list_bytes));
    std::string text;
    // Read in pieces and check each for NUL bytes. So a sparse file fails at its first hole and
    // needs little memory.
    for (std::size_t done = 0; done < size; done = text.size()) {
      text.resize(std::min(size, done + piece_bytes));
      const auto piece = std::span(text).subspan(done);
      const auto got = read_full(file, std::as_writable_bytes(piece));
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

  // The text becomes the table of names: each TAB after a path is replaced by NUL.
  void parse() {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    std::size_t begin = text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    std::uint64_t line = 1;
    for (; begin < text_.size(); ++line) {
      const auto end = std::min(text_.find('\n', begin), text_.size());
      std::string_view rest(text_.data() + begin, end - begin);
      if (rest.ends_with('\r')) rest.remove_suffix(1);
      if (!rest.empty() && rest.front() != '#') add(line, begin, rest);
      begin = end + 1;
    }
    if (starts_.empty())
      fail(concat(": no samples: ", line - 1, " lines, each empty or a comment"));
    starts_.shrink_to_fit();
    labels_.shrink_to_fit();
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
  FileReader reader_;
  std::string text_;
  std::vector<std::uint64_t> starts_;
  std::vector<std::int64_t> labels_;
  std::vector<std::string> classes_;
};
static_assert(Source<Manifest>);

}  // namespace
}  // namespace weir::source

weir::AnySource weir::manifest(const std::string& tsv, const FolderOptions& options) {
  return source::Manifest(tsv, options);
}
