#include "cli/side_by_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/terms.hpp"
#include "cli/determinism.hpp"

namespace weir::cli {
namespace {

bool same_pixels(const ImageView& a, const ImageView& b) {
  if (a.shape != b.shape) return false;
  const auto bytes = a.line_bytes();
  for (std::size_t y = 0; y < a.shape.height; ++y)
    if (!std::equal(a.data + y * a.row_stride, a.data + y * a.row_stride + bytes,
                    b.data + y * b.row_stride))
      return false;
  return true;
}

/// The pixels, or the encoded samples.
bool same_content(const Batch& a, std::uint32_t i, const Batch& b, std::uint32_t j) {
  if (a.encoded().empty()) return same_pixels(a.image(i), b.image(j));
  return std::ranges::equal(a.encoded()[i].bytes, b.encoded()[j].bytes);
}

bool same_row(const Batch& a, std::uint32_t i, const Batch& b, std::uint32_t j) {
  return a.labels()[i] == b.labels()[j] && a.indices()[i] == b.indices()[j] &&
         a.statuses()[i] == b.statuses()[j] && same_content(a, i, b, j) &&
         std::ranges::equal(a.annotation(i), b.annotation(j));
}

/// A loader and its stream.
struct Running {
  Running(const AnySource& source, const Options& options, const StreamOptions& extent)
      : loader(source, options), stream(loader.stream(extent)) {}
  Loader loader;
  Stream stream;
};

/// One process and the ranks of a job, step by step.
class Job {
 public:
  Job(const AnySource& source, const Settings& settings, const Options& options,
      std::uint32_t world, std::stop_token stop, LawBook& book)
      : book_(book), stop_(std::move(stop)) {
    const StreamOptions extent{.epochs = settings.stream_epochs(), .stop = stop_};
    auto one = options;
    one.batch = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(mul_sat(options.batch, world), UINT32_MAX));
    whole_.emplace(source, one, extent);
    for (std::uint32_t rank = 0; rank < world; ++rank) {
      one = options;
      one.ranks = Ranks::given(rank, world);
      ranks_.push_back(std::make_unique<Running>(source, one, extent));
      const auto batches = ranks_.back()->loader.batches_per_epoch();
      book_.check(Law::ranks, batches == whole_->loader.batches_per_epoch(),
                  "rank {} has {} batches in an epoch, one process has {}", rank, batches,
                  whole_->loader.batches_per_epoch());
    }
  }

  /// False at the end. Throws if one process ends with an error.
  bool step(SideBySide& found) {
    const auto batch = whole_->stream.next();
    std::uint32_t row = 0;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const auto part = ranks_[rank]->stream.next();
      if (stop_.stop_requested()) return false;
      if (!book_.check(Law::ranks, part.has_value() == batch.has_value(),
                       "at step {} rank {} has {} batch, one process has {}", found.steps, rank,
                       part ? "a" : "no", batch ? "one" : "none"))
        return false;
      if (part) compare(*batch, row, *part, rank, found);
    }
    if (!batch) return false;
    book_.check(Law::ranks, row == batch->size(), "step {}: the ranks have {} rows of {}",
                found.steps, row, batch->size());
    ++found.steps;
    return true;
  }

 private:
  void compare(const Batch& batch, std::uint32_t& row, const Batch& part, std::size_t rank,
               SideBySide& found) {
    for (std::uint32_t i = 0; i < part.size(); ++i) {
      if (part.statuses()[i] == RowStatus::padding) {
        ++found.padding;
        continue;
      }
      book_.check(Law::ranks, row < batch.size() && same_row(batch, row, part, i),
                  "step {}: row {} of rank {} is not row {} of one process", found.steps, i, rank,
                  row);
      ++row;
    }
    book_.check(Law::ranks, part.epoch() == batch.epoch() && part.global_rows() == batch.size(),
                "step {}: rank {} is in epoch {} with {} rows of all ranks, one process in {} with "
                "{}",
                found.steps, rank, part.epoch(), part.global_rows(), batch.epoch(), batch.size());
  }

  LawBook& book_;
  const std::stop_token stop_;
  std::optional<Running> whole_;
  std::vector<std::unique_ptr<Running>> ranks_;
};

}  // namespace

SideBySide compare_ranks(const AnySource& source, const Settings& settings, const Options& options,
                         const Report& did, const Interrupt& interrupt, LawBook& book) {
  SideBySide found{.world = settings.world.value_or(1)};
  if (found.world == 1) return found;
  found.skipped = chance(did);
  if (!found.skipped.empty()) return found;
  try {
    Job job(source, settings, other_machine(options, did.plan), found.world, interrupt.token(),
            book);
    while (found.steps != settings.steps && !interrupt.raised() && job.step(found)) continue;
  } catch (const std::exception& e) {
    // One process ends with an error, and its ranks do so at the same step or later.
    if (found.steps == 0) found.skipped = plain_text(e);
  }
  if (interrupt.raised()) found.skipped = "interrupted";
  return found;
}

}  // namespace weir::cli
