#include "source/name_list.hpp"

#include <algorithm>
#include <utility>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "source/reindexed.hpp"

namespace weir::source {
namespace {

constexpr std::pair<char, char> escapes[] = {{'\\', '\\'}, {'\n', 'n'}, {'\r', 'r'}};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(Errc::source_failed, Stage::read, "list of names " + sanitize(path) + what);
}

/// Empty if the line has an invalid escape.
std::string name_of(std::string_view line) {
  std::string name;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      name += line[i];
      continue;
    }
    const char code = ++i < line.size() ? line[i] : '\0';
    const auto* const found = std::ranges::find(escapes, code, &std::pair<char, char>::second);
    if (found == std::end(escapes)) return {};
    name += found->first;
  }
  return name;
}

/// All samples but some.
class Rest {
 public:
  /// `gone`: indices below `samples` in ascending order.
  Rest(std::uint64_t samples, std::vector<std::uint64_t> gone)
      : size_(samples - gone.size()), gone_(std::move(gone)) {
    // Each entry becomes the number of remaining samples before it.
    for (std::size_t i = 0; i < gone_.size(); ++i) gone_[i] -= i;
  }
  std::uint64_t size() const noexcept { return size_; }
  std::uint64_t operator()(std::uint64_t i) const noexcept {
    return i + static_cast<std::uint64_t>(std::ranges::upper_bound(gone_, i) - gone_.begin());
  }
  std::uint64_t bytes() const noexcept { return gone_.capacity() * sizeof(std::uint64_t); }
  std::string text() const {
    std::string text = "rest";
    for (const auto before : gone_) text += concat(' ', before);
    return text;
  }

 private:
  std::uint64_t size_;
  std::vector<std::uint64_t> gone_;
};
static_assert(Source<Reindexed<Rest>>);

}  // namespace

std::string name_line(std::string_view name) {
  std::string line;
  for (const char c : name) {
    const auto* const found = std::ranges::find(escapes, c, &std::pair<char, char>::first);
    if (found == std::end(escapes))
      line += c;
    else
      line += {'\\', found->second};
  }
  return line + '\n';
}

std::vector<std::string> read_name_list(const std::string& path) {
  const auto text = read_text_file(path, most_list_bytes);
  std::vector<std::string> names;
  std::uint64_t number = 1;
  for (std::string_view rest = text; !rest.empty(); ++number) {
    const auto line = take_line(rest);
    if (line.empty()) continue;
    names.push_back(name_of(line));
    if (names.back().empty()) fail(path, concat(":", number, ": a backslash that escapes nothing"));
  }
  return names;
}

Without without(AnySource source, std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::uint64_t> gone;
  std::vector<bool> known(names.size());
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    const auto name = source.name(i);
    const auto found = std::ranges::lower_bound(names, name);
    if (found == names.end() || *found != name) continue;
    known[static_cast<std::size_t>(found - names.begin())] = true;
    gone.push_back(i);
  }
  const auto unknown = static_cast<std::uint64_t>(std::ranges::count(known, false));
  auto first =
      unknown == 0
          ? std::string()
          : names[static_cast<std::size_t>(std::ranges::find(known, false) - known.begin())];
  if (gone.empty()) return {std::move(source), unknown, std::move(first)};
  gone.shrink_to_fit();
  Rest rest(source.size(), std::move(gone));
  return {Reindexed(std::move(source), std::move(rest)), unknown, std::move(first)};
}

}  // namespace weir::source
