#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "weir/source.hpp"

namespace weir {
namespace {

constexpr std::int64_t no_class = -1;

std::int64_t label_of(const AnySource& source, std::uint64_t i) {
  if (const auto label = source.label(i)) return *label;
  refuse(Stage::read, "balanced: the label of sample ", i, ", ", sanitize(source.name(i)),
         ", is not known without reading it; give Order::weighted a weight for each sample. If "
         "relabelled() has no new label for it, map it to -1");
}

}  // namespace

std::vector<double> balanced(const AnySource& source) {
  std::unordered_map<std::int64_t, std::uint64_t> samples_with;
  for (std::uint64_t i = 0; i < source.size(); ++i) ++samples_with[label_of(source, i)];
  samples_with.erase(no_class);
  if (samples_with.empty())
    refuse(Stage::read, "balanced: none of ", source.size(), " samples has a class");
  std::vector<double> weights;
  weights.reserve(static_cast<std::size_t>(source.size()));
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    const auto found = samples_with.find(label_of(source, i));
    weights.push_back(found == samples_with.end() ? 0 : 1 / static_cast<double>(found->second));
  }
  return weights;
}

}  // namespace weir
