#include "source/class_labels.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "source/name_table.hpp"

namespace weir::source {

ClassLabels::ClassLabels(std::vector<std::string> names) : names_(std::move(names)) {
  names_.shrink_to_fit();
  std::vector<std::uint32_t> order(names_.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto name_of = [this](std::uint32_t label) -> std::string_view { return names_[label]; };
  std::ranges::sort(order, {}, name_of);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (name_of(order[i]).empty()) refuse(Stage::read, "`classes[", order[i], "]` is empty");
    if (i > 0 && name_of(order[i]) == name_of(order[i - 1]))
      refuse(Stage::read, "`classes[", order[i], "]` = ", sanitize(name_of(order[i])),
             ": occurs twice");
  }
  if (!std::ranges::is_sorted(order)) by_name_ = std::move(order);
}

std::int64_t ClassLabels::label_of(std::string_view name) const noexcept {
  if (by_name_.empty()) {
    const auto found = std::ranges::lower_bound(names_, name);
    return found != names_.end() && *found == name ? found - names_.begin() : -1;
  }
  const auto found = std::ranges::lower_bound(
      by_name_, name, {},
      [this](std::uint32_t label) -> std::string_view { return names_[label]; });
  return found != by_name_.end() && names_[*found] == name ? std::int64_t{*found} : -1;
}

std::uint64_t ClassLabels::bytes() const noexcept {
  return held_bytes(names_) + by_name_.capacity() * sizeof(std::uint32_t);
}

std::string not_a_class(std::int64_t label, const std::vector<std::string>& classes) {
  if (classes.empty() || label == -1) return {};
  if (label >= 0 && static_cast<std::uint64_t>(label) < classes.size()) return {};
  return concat(label, ": there are ", classes.size(), " classes, so a label is -1 to ",
                classes.size() - 1);
}

}  // namespace weir::source
