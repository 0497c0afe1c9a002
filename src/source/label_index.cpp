#include "source/label_index.hpp"

#include <algorithm>

#include "base/sanitize.hpp"
#include "base/text.hpp"

namespace weir::source {

LabelIndex::LabelIndex(const AnySource& source) {
  entries_.reserve(static_cast<std::size_t>(source.size()));
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    const auto label = source.label(i);
    if (!label)
      refuse(Stage::read,
             "`partners.pick` = same_label: the source does not know the label of sample ", i, " (",
             sanitize(source.name(i)),
             ") without a read; give it label(), or take `partners.pick` = any. If relabelled() "
             "has no new label for it, map it to -1");
    entries_.push_back({*label, i});
  }
  std::ranges::sort(entries_);
}

std::span<const LabelIndex::Entry> LabelIndex::with(std::int64_t label) const noexcept {
  // Clang 14 does not compile std::ranges::equal_range of libstdc++ 12.
  return {std::ranges::lower_bound(entries_, label, {}, &Entry::label),
          std::ranges::upper_bound(entries_, label, {}, &Entry::label)};
}

}  // namespace weir::source
