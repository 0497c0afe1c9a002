#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "source/fingerprint.hpp"
#include "source/stems.hpp"
#include "weir/sources.hpp"

namespace weir::source {
namespace {

/// A second image that is Encoded::blank.
constexpr std::uint64_t no_partner = UINT64_MAX;

/// Puts the images of `more` behind those of `sample`.
void append(Encoded& sample, const Encoded& more) {
  bool room = sample.planes.add(more.bytes);
  for (const auto& plane : more.planes) room = room && sample.planes.add(plane);
  if (!room)
    throw SampleError(FaultKind::unsupported,
                      "paired: a sample has at most eight images, and this one has more");
}

/// The first source, with the images of the second behind its own.
class Paired : public AnySource {
 public:
  /// `partners`: for each sample of `first` the index in `second`, or no_partner. Empty: the same
  /// index.
  Paired(AnySource first, AnySource second, std::vector<std::uint64_t> partners,
         std::uint64_t left_out)
      : AnySource(std::move(first)),
        second_(std::move(second)),
        partners_(std::move(partners)),
        left_out_(left_out) {}

  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    auto pair = AnySource::try_read(i, sink);
    if (!pair) return std::nullopt;
    const auto partner = partner_of(i);
    if (partner == no_partner) {
      append(*pair, {.bytes = Encoded::blank()});
      return pair;
    }
    std::optional<Encoded> second;
    try {
      second = second_.try_read(partner, sink);
    } catch (const SampleError& error) {
      throw SampleError(error.kind(),
                        "second image " + second_.name(partner) + ": " + error.what());
    }
    if (!second) return std::nullopt;
    append(*pair, *second);
    return pair;
  }
  std::uint64_t index_bytes() const {
    return add_sat(add_sat(AnySource::index_bytes(), second_.index_bytes()),
                   sizeof(*this) + partners_.capacity() * sizeof(std::uint64_t));
  }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const {
    const auto first = AnySource::encoded_bytes(i);
    const auto partner = partner_of(i);
    if (!first || partner == no_partner) return first;
    const auto second = second_.encoded_bytes(partner);
    return second ? std::optional(add_sat(*first, *second)) : std::nullopt;
  }
  std::string fingerprint() const {
    auto both =
        source::fingerprint(static_cast<const AnySource&>(*this)) + source::fingerprint(second_);
    if (partners_.empty()) return both;
    for (const auto partner : partners_) both += concat(' ', partner);
    return fingerprint_of_text(both);
  }
  std::uint64_t skipped() const { return AnySource::skipped() + second_.skipped() + left_out_; }

 private:
  std::uint64_t partner_of(std::uint64_t i) const noexcept {
    return partners_.empty() ? i : partners_[i];
  }

  AnySource second_;
  std::vector<std::uint64_t> partners_;
  std::uint64_t left_out_;  ///< samples of both sources that belong to no pair
};
static_assert(Source<Paired>);

std::string quoted(const std::string& name) { return '\'' + sanitize(name) + '\''; }

void check_stems(const AnySource& first, const AnySource& second) {
  const Stems a(first), b(second);
  for (std::uint64_t i = 0; i < first.size(); ++i)
    if (a[i] != b[i])
      refuse(Stage::read, "paired: sample ", i, " is ", quoted(first.name(i)), " in first and ",
             quoted(second.name(i)),
             " in second, and their stems differ; paired_by_stem() finds the pairs, "
             "PairNames::any allows such names");
}

/// Finds the samples of a source by their stems. Refers to it.
class StemTable {
 public:
  explicit StemTable(const AnySource& source) {
    const Stems stems(source);
    for (std::uint64_t i = 0; i < source.size(); ++i) table_.emplace_back(stems[i], i);
    std::ranges::sort(table_);
    const auto twice = std::ranges::adjacent_find(table_, {}, &Entry::first);
    if (twice != table_.end())
      refuse(Stage::read, "paired_by_stem: ", quoted(source.name(twice[0].second)), " and ",
             quoted(source.name(twice[1].second)), " of second have the same stem");
  }
  std::uint64_t find(const std::string& stem) const {
    const auto found = std::ranges::lower_bound(table_, stem, {}, &Entry::first);
    return found != table_.end() && found->first == stem ? found->second : no_partner;
  }

 private:
  using Entry = std::pair<std::string, std::uint64_t>;
  std::vector<Entry> table_;
};

}  // namespace
}  // namespace weir::source

weir::AnySource weir::paired(AnySource first, AnySource second, PairNames names) {
  if (first.size() != second.size())
    refuse(Stage::read, "paired: first has ", first.size(), " samples, second has ", second.size(),
           "; there must be as many; paired_by_stem() pairs by name");
  if (names == PairNames::same_stem) source::check_stems(first, second);
  return source::Paired(std::move(first), std::move(second), {}, 0);
}

weir::AnySource weir::paired_by_stem(AnySource first, AnySource second, MissingPair missing) {
  const auto samples = first.size();
  const source::StemTable table(second);
  const source::Stems stems(first);
  std::vector<std::uint64_t> partners, kept;
  std::vector<bool> used(second.size());
  std::uint64_t lonely = 0, first_lonely = 0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    const auto partner = table.find(stems[i]);
    const bool found = partner != source::no_partner;
    if (found)
      used[partner] = true;
    else if (lonely++ == 0)
      first_lonely = i;
    if (!found && missing == MissingPair::skip) continue;
    partners.push_back(partner);
    kept.push_back(i);
  }
  if (lonely == samples)
    refuse(Stage::read, "paired_by_stem: no sample of first has the stem of one of second",
           (samples == 0 ? std::string()
                         : "; the first one is " + source::quoted(first.name(0)) +
                               " with the stem " + source::quoted(stems[0])));
  if (lonely > 0 && missing == MissingPair::error)
    refuse(Stage::read, "paired_by_stem: second has no sample with the stem of ",
           source::quoted(first.name(first_lonely)), " (nor of ", lonely - 1, " others, of ",
           samples, "); MissingPair::blank and MissingPair::skip allow it");
  const auto unused = static_cast<std::uint64_t>(std::ranges::count(used, false));
  const auto left_out = unused + (samples - kept.size());
  if (kept.size() < samples) first = subset(std::move(first), std::move(kept));
  std::uint64_t in_order = 0;
  while (in_order < partners.size() && partners[in_order] == in_order) ++in_order;
  if (in_order == partners.size()) partners.clear();
  partners.shrink_to_fit();
  return source::Paired(std::move(first), std::move(second), std::move(partners), left_out);
}
