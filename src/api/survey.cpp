#include <algorithm>
#include <atomic>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "api/examiner.hpp"
#include "api/survey.hpp"
#include "base/checked.hpp"
#include "base/mutex.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "codec/format.hpp"
#include "plan/pixel_plan.hpp"
#include "weir/loader.hpp"

namespace weir {
namespace {

/// `what`: the memory that the budget has no room for.
[[noreturn]] void throw_no_room(std::uint64_t bytes, const std::string& what,
                                const MemoryLedger& ledger, const MemoryOptions& memory) {
  const auto budget = ledger.budget();
  if (!budget)
    throw_error(Errc::budget_too_small, Stage::read, "more than 2^64 bytes are needed for ", what);
  throw_error(Errc::budget_too_small, Stage::read, '`', plan::budget_name(memory),
              "`: no room for the ", bytes, " bytes of ", what, "; ", ledger.snapshot().live,
              " of ", *budget, " are in use, ", ledger.promised(), " promised");
}

/// The most that the samples of one row need together. Any thread.
class LargestRow {
 public:
  explicit LargestRow(const PartnerOptions& partners)
      : repeat_(partners.repeat || partners.pick == PartnerPick::own),
        largest_(1 + partners.count) {}

  void add(std::uint64_t bytes) {
    const Lock lock(mutex_);
    const auto least = std::ranges::min_element(largest_);
    *least = std::max(*least, bytes);
  }
  std::uint64_t sum() const {
    const Lock lock(mutex_);
    const auto most = *std::ranges::max_element(largest_);
    std::uint64_t sum = 0;
    for (const auto bytes : largest_) sum = add_sat(sum, repeat_ ? most : bytes);
    return sum;
  }

 private:
  const bool repeat_;  ///< a row may have one sample several times
  mutable Mutex mutex_;
  std::vector<std::uint64_t> largest_ WEIR_GUARDED_BY(mutex_);
};

/// What the source knows of a sample without reading it: no size if it is beyond a limit, as if it had
/// been read. Under `skip`, the row of a bad sample has the size of its replacement, so the headers of
/// encoded samples must be known.
std::optional<ImageSize> known_size(const AnySource& source, std::uint64_t i,
                                    const Options& options) {
  if (options.decode != Decode::none) {
    const auto size = source.image_size(i);
    const bool fails =
        size && (codec::exceeded({.width = size->width, .height = size->height}, options.limits) ||
                 source.encoded_bytes(i).value_or(0) > options.limits.max_encoded_bytes);
    return fails ? ImageSize() : size;
  }
  if (options.faults.policy == OnFault::skip) return std::nullopt;
  const auto bytes = source.encoded_bytes(i);
  return bytes ? std::optional(api::encoded_size(*bytes, options.limits)) : std::nullopt;
}

/// The largest sides are on the grid of the planes, which round theirs up.
api::RowBounds row_bounds(const SizeIndex& sizes, ImageSize bound, std::uint32_t grid) {
  api::RowBounds found{.least = {UINT32_MAX, UINT32_MAX}};
  auto& [least, most] = found;
  for (std::uint64_t i = 0; i < sizes.size(); ++i) {
    const auto row = scaled_within(sizes[i], bound);
    if (row.height == 0 || row.width == 0) continue;
    least = {std::min(least.height, row.height), std::min(least.width, row.width)};
    most = {std::max(most.height, static_cast<std::uint32_t>(round_up(row.height, grid))),
            std::max(most.width, static_cast<std::uint32_t>(round_up(row.width, grid)))};
  }
  return found;
}

/// Refuses contradictory options before all files are read. The budget may still be unknown. Returns
/// the most bytes that a row can have with any budget.
std::uint64_t check(const Options& options) {
  auto tried = plan::with_row_sizes(options);
  tried.memory.ledger = nullptr;
  tried.memory.budget_bytes.reset();
  auto& cache = tried.cache;
  if (cache.keep != Cache::nothing && !cache.shared && !cache.max_bytes) cache.max_bytes = 1;
  if (tried.sizes.mode != Sizes::fixed)
    tried.sizes.index = std::make_shared<const SizeIndex>(std::vector<ImageSize>());
  return resolve(tried, 0).max_sample_bytes;
}

}  // namespace

api::Survey api::survey(const AnySource& source, const Options& options, bool all,
                        const std::stop_token& stop, MemoryLedger* own,
                        std::atomic<std::uint64_t>* reads) {
  // A survey that determines the bound is not bounded by it.
  auto bound = ByteBound(check(options));
  if (all || options.memory.max_sample_bytes == ByteBound::measured) bound = ByteBound::measured;
  RowBounds rows;
  if (Examiner::joins_other_sizes(options)) {
    auto alone = options;
    alone.partners = {};
    alone.memory.max_sample_bytes = bound;
    if (!all) return {survey(source, alone, false, stop, own, reads).sizes, {}};
    const auto& index = options.sizes.index;
    rows = row_bounds(index ? *index : *survey(source, alone, false, stop, own).sizes,
                      options.sizes.bound(), plan::decoder_options(options).fit.grid);
  }
  MemoryLedger one(options.memory.budget_bytes);
  auto& ledger = options.memory.ledger ? *options.memory.ledger : own ? *own : one;
  // The Loader that takes the sizes charges them again, after this charge has ended.
  const auto table_bytes = mul_sat(source.size(), sizeof(ImageSize));
  const auto table = ledger.try_charge(Account::index, table_bytes);
  if (!table)
    throw_no_room(table_bytes, concat("the sizes of ", source.size(), " samples"), ledger,
                  options.memory);
  std::vector<ImageSize> sizes(static_cast<std::size_t>(source.size()));
  auto worst = options;
  // Some fits may not allow a reduction that others allow.
  if (Examiner::fits_vary(options) && worst.decode == Decode::fast) worst.decode = Decode::exact;
  const Examiner examiner(source, worst, ledger, bound.bytes().value_or(unlimited), rows);
  LargestRow encoded(options.partners), scratch(options.partners), both(options.partners),
      shared({});
  std::atomic<bool> known_beforehand{false};

  // Sets the size if the source does not know it. Returns the bytes that the budget refused, or 0. A
  // sample that cannot be read or probed keeps no size; it fails when it is drawn.
  const auto read = [&](std::uint64_t i, ImageSize* size) {
    if (reads) ++*reads;
    const auto need = examiner.measure(i);
    encoded.add(need.encoded);
    scratch.add(need.scratch);
    both.add(need.both);
    shared.add(need.shared);
    if (size) *size = need.size;
    return need.refused;
  };
  // If the budget refuses a sample, it is read again while no other thread holds any.
  std::shared_mutex readers;
  const auto measure = [&](std::uint64_t i) {
    auto* size = &sizes[static_cast<std::size_t>(i)];
    if (const auto known = known_size(source, i, options)) {
      *std::exchange(size, nullptr) = *known;
      known_beforehand = true;
      if (!all) return;
    }
    {
      const std::shared_lock beside_others(readers);
      if (read(i, size) == 0) return;
    }
    const std::unique_lock alone(readers);
    if (const auto refused = read(i, size))
      throw_no_room(refused, sanitize(source.name(i)) + ", to learn its size", ledger,
                    options.memory);
  };
  for_each_index(
      sizes.size(), threads_for(options.workers), [&] { return measure; }, stop);
  api::Survey found{std::make_shared<const SizeIndex>(std::move(sizes)), {}};
  if (!all && known_beforehand) return found;
  // A plan refuses less than this, also if no sample can be read.
  const auto least = all ? std::max<std::uint64_t>(1, options.transform.scratch_bytes) : 0;
  found.sample = {encoded.sum(), add_sat(scratch.sum(), shared.sum()),
                  std::max(least, add_sat(both.sum(), shared.sum()))};
  return found;
}

std::shared_ptr<const SizeIndex> measure_sizes(const AnySource& source, const Options& options) {
  return api::survey(source, plan::with_annotation_bytes(options, source), false).sizes;
}

std::uint64_t measure_sample_bytes(const AnySource& source, const Options& options) {
  return api::survey(source, plan::with_annotation_bytes(options, source), true).sample.both;
}

}  // namespace weir
