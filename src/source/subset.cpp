#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "source/reindexed.hpp"
#include "weir/source.hpp"

namespace weir::source {
namespace {

/// A table of indices.
class Chosen {
 public:
  Chosen(std::vector<std::uint64_t> indices, std::uint64_t samples) : indices_(std::move(indices)) {
    if (indices_.empty()) refuse(Stage::read, "subset: none of ", samples, " samples is chosen");
    for (std::size_t i = 0; i < indices_.size(); ++i)
      if (indices_[i] >= samples)
        refuse(Stage::read, "subset: indices[", i, "] = ", indices_[i], ": the source has ",
               samples, " samples");
    indices_.shrink_to_fit();
  }
  std::uint64_t size() const noexcept { return indices_.size(); }
  std::uint64_t operator()(std::uint64_t i) const noexcept { return indices_[i]; }
  std::uint64_t bytes() const noexcept { return indices_.capacity() * sizeof(std::uint64_t); }
  std::string text() const {
    std::string text = "subset";
    for (const auto index : indices_) text += concat(' ', index);
    return text;
  }

 private:
  std::vector<std::uint64_t> indices_;
};

/// One of the two parts of every n samples.
class Part {
 public:
  Part(std::uint64_t samples, std::uint64_t every_nth, bool held_out) noexcept
      : samples_(samples), every_nth_(every_nth), held_out_(held_out) {}
  std::uint64_t size() const noexcept {
    const auto held = (samples_ - 1) / every_nth_ + 1;
    return held_out_ ? held : samples_ - held;
  }
  std::uint64_t operator()(std::uint64_t i) const noexcept {
    return held_out_ ? i * every_nth_ : i + i / (every_nth_ - 1) + 1;
  }
  std::uint64_t bytes() const noexcept { return 0; }
  std::string text() const { return concat(held_out_ ? "every " : "all but every ", every_nth_); }

 private:
  std::uint64_t samples_, every_nth_;
  bool held_out_;
};

static_assert(Source<Reindexed<Chosen>> && Source<Reindexed<Part>>);

}  // namespace
}  // namespace weir::source

weir::AnySource weir::subset(AnySource source, std::vector<std::uint64_t> indices) {
  source::Chosen chosen(std::move(indices), source.size());
  return source::Reindexed(std::move(source), std::move(chosen));
}

weir::Split weir::split(const AnySource& source, std::uint64_t every_nth) {
  const auto samples = source.size();
  if (every_nth < 2) refuse(Stage::read, "split: every_nth = ", every_nth, ": must be at least 2");
  if (samples < 2)
    refuse(Stage::read, "split: the source has ", samples, " samples; two parts need at least 2");
  return {source::Reindexed(source, source::Part(samples, every_nth, false)),
          source::Reindexed(source, source::Part(samples, every_nth, true))};
}
