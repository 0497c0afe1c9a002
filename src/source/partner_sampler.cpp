#include "source/partner_sampler.hpp"

#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "base/text.hpp"

namespace weir::source {

std::shared_ptr<const LabelIndex> PartnerSampler::labels_for(const PartnerOptions& options,
                                                             const AnySource& source) {
  return options.pick == PartnerPick::same_label ? std::make_shared<const LabelIndex>(source)
                                                 : nullptr;
}

PartnerSampler::PartnerSampler(const Sampler& sampler, const PartnerOptions& options,
                               const AnySource& source, std::shared_ptr<const LabelIndex> labels)
    : sampler_(sampler), options_(options), source_(source), labels_(std::move(labels)) {}

InlineList<std::uint64_t, PartnerOptions::most> PartnerSampler::of(const RowDraw& row) const {
  InlineList<std::uint64_t, PartnerOptions::most> partners;
  for (std::uint32_t number = 1; number <= options_.count; ++number)
    partners.push_back(draw(row, number, 0, {partners.begin(), partners.size()}));
  return partners;
}

std::uint64_t PartnerSampler::draw(const RowDraw& row, std::uint32_t partner, std::uint32_t attempt,
                                   std::span<const std::uint64_t> others) const {
  const bool own = partner == 0, repeat = options_.repeat;
  if (options_.pick == PartnerPick::own)
    return own ? sampler_.replacement_of(row.drawn, row.epoch, row.position, attempt)
               : by_function(row, partner, attempt);

  std::span<const LabelIndex::Entry> labelled;
  if (options_.pick == PartnerPick::same_label)
    labelled = labels_->with(source_.label(row.drawn).value_or(0));
  const auto size = labelled.empty() ? sampler_.choices() : labelled.size();
  auto key = sampler_.partner_key(row.epoch, row.position, partner);
  if (repeat) key = mix_key({key, attempt});
  const Permutation order(size);
  const auto candidate = [&](std::uint64_t t) {
    return labelled.empty() ? sampler_.choice(row.epoch, key, t)
                            : labelled[static_cast<std::size_t>(order(key, t))].index;
  };
  const auto taken = [&](std::uint64_t index) {
    if (index == row.drawn) return own || !repeat;
    return !repeat && std::ranges::find(others, index) != others.end();
  };

  // The candidates differ, unless a function of the user's own or weights draw a sample again.
  constexpr std::uint64_t many = 1024;
  const auto most = labelled.empty() ? std::min(size, many) : size;
  // Skips those of the earlier attempts.
  std::uint64_t skip = repeat ? 0 : attempt - std::uint64_t{own};
  for (std::uint64_t t = 0; t < most; ++t) {
    const auto index = candidate(t);
    if (sampler_.draws(index) && !taken(index) && skip-- == 0) return index;
  }
  // All others are in the row, or have been tried.
  for (std::uint64_t t = 0; t < most; ++t)
    if (const auto index = candidate((attempt + t) % most); sampler_.draws(index)) return index;
  return row.drawn;
}

std::uint64_t PartnerSampler::by_function(const RowDraw& row, std::uint32_t partner,
                                          std::uint32_t attempt) const {
  const auto position = row.position.value();
  Random random(sampler_.partner_key(row.epoch, row.position, partner), row.epoch, position,
                attempt);
  const auto index = options_.choose(row.epoch, position, partner, random);
  if (index < sampler_.samples()) return index;
  refuse(Stage::read, "`partners.choose` (", options_.name, ") gives index ", index, " for epoch ",
         row.epoch, ", position ", position, ", partner ", partner, "; the source has ",
         sampler_.samples(), " samples");
}

void PartnerSampler::check_labels() const {
  if (options_.pick != PartnerPick::same_label || options_.repeat) return;
  const auto entries = labels_->entries();
  for (auto at = entries.begin(); at != entries.end();) {
    const auto end = std::ranges::find_if(
        at, entries.end(), [&](const auto& entry) { return entry.label != at->label; });
    const auto members = static_cast<std::uint64_t>(std::ranges::count_if(
        at, end, [&](const auto& entry) { return sampler_.draws(entry.index); }));
    if (members > 0 && members <= options_.count)
      throw Error(
          Errc::bad_options, Stage::wait,
          OptionProblem{"partners.count", std::to_string(options_.count),
                        concat("a row needs ", options_.count + 1,
                               " samples of its label, and label ", at->label, " has ", members),
                        "set `partners.repeat`, or leave out its samples"});
    at = end;
  }
}

}  // namespace weir::source
