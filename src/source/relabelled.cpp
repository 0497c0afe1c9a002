#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "source/name_table.hpp"
#include "weir/source.hpp"

namespace weir::source {
namespace {

using Renumbered = std::pair<std::int64_t, std::int64_t>;  ///< old label, new label

/// The wrapped source with other labels and class names.
class Relabelled : public AnySource {
 public:
  Relabelled(AnySource source, const std::map<std::int64_t, std::int64_t>& labels,
             std::vector<std::string> class_names)
      : AnySource(std::move(source)),
        labels_(labels.begin(), labels.end()),
        names_(std::move(class_names)) {
    if (labels_.empty())
      refuse(Stage::read, "relabelled: labels is empty; give a new label for each old one");
    if (names_.empty()) move_names();
    names_.shrink_to_fit();
  }

  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    auto sample = AnySource::try_read(i, sink);
    if (!sample) return sample;
    const auto label = new_label(sample->label);
    if (!label)
      throw SampleError(FaultKind::unsupported,
                        concat("relabelled: label ", sample->label, " has no new label"));
    sample->label = *label;
    return sample;
  }
  std::optional<std::int64_t> label(std::uint64_t i) const {
    const auto old = AnySource::label(i);
    return old ? new_label(*old) : std::nullopt;
  }
  std::vector<std::string> class_names() const { return names_; }
  std::uint64_t index_bytes() const {
    return add_sat(AnySource::index_bytes(),
                   sizeof(*this) + labels_.capacity() * sizeof(Renumbered) + held_bytes(names_));
  }

 private:
  std::optional<std::int64_t> new_label(std::int64_t old) const {
    const auto found = std::ranges::lower_bound(labels_, old, {}, &Renumbered::first);
    if (found == labels_.end() || found->first != old) return std::nullopt;
    return found->second;
  }

  void move_names() {
    constexpr std::int64_t most = 65535;
    const auto old = AnySource::class_names();
    for (const auto& [from, to] : labels_) {
      const bool named = from >= 0 && static_cast<std::uint64_t>(from) < old.size();
      if (!named || to < 0 || to > most) continue;
      const auto at = static_cast<std::size_t>(to);
      if (at >= names_.size()) names_.resize(at + 1);
      if (names_[at].empty()) names_[at] = old[static_cast<std::size_t>(from)];
    }
  }

  std::vector<Renumbered> labels_;  ///< in the order of the old labels
  std::vector<std::string> names_;
};
static_assert(Source<Relabelled>);

}  // namespace
}  // namespace weir::source

weir::AnySource weir::relabelled(AnySource source,
                                 const std::map<std::int64_t, std::int64_t>& labels,
                                 std::vector<std::string> class_names) {
  return source::Relabelled(std::move(source), labels, std::move(class_names));
}
