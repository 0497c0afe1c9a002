#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "source/fingerprint.hpp"
#include "source/name_table.hpp"
#include "source/plane_names.hpp"
#include "weir/source.hpp"

namespace weir::source {
namespace {

/// Several sources, one after the other.
class Concatenated {
 public:
  explicit Concatenated(std::vector<AnySource> sources) : sources_(std::move(sources)) {
    if (sources_.empty()) refuse(Stage::read, "concatenated: sources is empty; name at least one");
    sources_.shrink_to_fit();
    ends_.reserve(sources_.size());
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const auto end = size() + sources_[i].size();
      if (end < size()) refuse(Stage::read, "concatenated: 2^64 samples or more; leave some out");
      ends_.push_back(end);
      add_class_names(i);
      check_planes(i);
    }
    names_.shrink_to_fit();
  }

  std::uint64_t size() const noexcept { return ends_.empty() ? 0 : ends_.back(); }
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    const auto [source, at] = locate(i);
    return source.try_read(at, sink);
  }
  std::string name(std::uint64_t i) const {
    const auto [source, at] = locate(i);
    return source.name(at);
  }
  std::string plane_name(std::uint64_t i, std::size_t plane) const {
    const auto [source, at] = locate(i);
    return source.plane_name(at, plane);
  }
  std::uint64_t index_bytes() const {
    std::uint64_t bytes = sizeof(*this) + sources_.capacity() * sizeof(AnySource) +
                          ends_.capacity() * sizeof(std::uint64_t) + held_bytes(names_);
    for (const auto& source : sources_) bytes = add_sat(bytes, source.index_bytes());
    return bytes;
  }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const {
    const auto [source, at] = locate(i);
    return source.encoded_bytes(at);
  }
  std::optional<ImageSize> image_size(std::uint64_t i) const {
    const auto [source, at] = locate(i);
    return source.image_size(at);
  }
  std::optional<std::int64_t> label(std::uint64_t i) const {
    const auto [source, at] = locate(i);
    return source.label(at);
  }
  std::vector<std::string> class_names() const { return names_; }
  std::vector<std::string> planes() const { return sources_.front().planes(); }
  std::optional<std::uint64_t> annotation_bytes() const {
    std::uint64_t most = 0;
    for (const auto& source : sources_) {
      const auto bytes = source.annotation_bytes();
      if (!bytes) return std::nullopt;
      most = std::max(most, *bytes);
    }
    return most;
  }
  std::uint64_t skipped() const {
    std::uint64_t skipped = 0;
    for (const auto& source : sources_) skipped += source.skipped();
    return skipped;
  }
  /// Needed only if a part has a fingerprint of its own.
  std::string fingerprint() const {
    const auto own = [](const AnySource& source) { return !source.fingerprint().empty(); };
    if (std::ranges::none_of(sources_, own)) return {};
    std::string all = "concatenated";
    for (const auto& source : sources_) all += ' ' + source::fingerprint(source);
    return all;
  }

 private:
  struct Located {
    const AnySource& source;
    std::uint64_t at;
  };
  Located locate(std::uint64_t i) const {
    const auto found = std::ranges::upper_bound(ends_, i) - ends_.begin();
    const auto number = static_cast<std::size_t>(found);
    return {sources_[number], number == 0 ? i : i - ends_[number - 1]};
  }

  void add_class_names(std::size_t number) {
    const auto names = sources_[number].class_names();
    if (names.size() > names_.size()) names_.resize(names.size());
    for (std::size_t label = 0; label < names.size(); ++label) {
      // relabelled() leaves the names of labels empty that it does not give.
      if (names_[label].empty()) names_[label] = names[label];
      if (!names[label].empty() && names[label] != names_[label])
        refuse(Stage::read, "concatenated: class ", label, " is '", sanitize(names_[label]),
               "', in sources[", number, "] '", sanitize(names[label]),
               "'; give both the same FolderOptions::classes, or use relabelled()");
    }
  }

  void check_planes(std::size_t number) const {
    const auto names = sources_[number].planes();
    if (names != planes())
      refuse(Stage::read, "concatenated: the planes of sources[0] are ", list_of(planes()),
             ", those of sources[", number, "] are ", list_of(names),
             "; all must have the same in the same order, as with_plane() adds them");
  }

  std::vector<AnySource> sources_;
  std::vector<std::uint64_t> ends_;  ///< of each source: the samples up to its end
  std::vector<std::string> names_;
};
static_assert(Source<Concatenated>);

}  // namespace
}  // namespace weir::source

weir::AnySource weir::concatenated(std::vector<AnySource> sources) {
  return source::Concatenated(std::move(sources));
}
