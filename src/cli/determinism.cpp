#include "cli/determinism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/terms.hpp"
#include "cli/digest.hpp"
#include "cli/drive.hpp"
#include "cli/progress.hpp"
#include "report/stats_text.hpp"

namespace weir::cli {
namespace {

std::string digest_of(const Batch& batch) {
  Digest digest;
  digest.add(batch);
  for (std::uint32_t i = 0; i < batch.size(); ++i) digest.add(batch.annotation(i));
  digest.add(std::as_bytes(batch.annotation_lengths()));
  digest.add(std::as_bytes(batch.statuses()));
  return std::move(digest).hex();
}

std::optional<std::uint64_t> batches_in_all(const Loader& loader, const Settings& settings) {
  std::optional<std::uint64_t> all = settings.steps;
  if (const auto epochs = settings.stream_epochs())
    all = std::min(all.value_or(unlimited), mul_sat(*epochs, loader.batches_per_epoch()));
  return all;
}

struct Comparison {
  std::uint64_t same = 0;
  std::string first;  ///< description of the first difference
};

/// Compares consecutive pieces with a stream that begins at the first piece.
void compare(Loader& loader, std::span<const Delivered::Piece> pieces, std::stop_token stop,
             std::atomic<std::uint64_t>& done, Comparison& found) {
  std::string ended = "the stream ended";
  try {
    const auto first = pieces.front().sequence;
    auto stream = loader.stream(
        {.resume = loader.progress_after(first), .epochs = std::nullopt, .stop = std::move(stop)});
    for (; !pieces.empty(); pieces = pieces.subspan(1), ++done) {
      const auto batch = stream.next();
      if (!batch) break;
      const auto& piece = pieces.front();
      if (first + batch->sequence() == piece.sequence && digest_of(*batch) == piece.digest)
        ++found.same;
      else if (found.first.empty())
        found.first =
            fmt::format("batch {} was delivered otherwise by another loader", piece.sequence);
    }
  } catch (const Error& e) {
    // Only errors of the stream are breaches. A lack of memory or threads is not.
    ended = plain_text(e);
  }
  if (!pieces.empty() && found.first.empty())
    found.first = fmt::format("batch {} was not delivered by another loader: {}",
                              pieces.front().sequence, ended);
}

Determinism deliver_again(const AnySource& source, const Settings& settings, const Options& options,
                          const Report& did, const Delivered& delivered, const Interrupt& interrupt,
                          LawBook& book) {
  const std::span all(delivered.pieces());
  if (all.empty()) return {0, "no batch was delivered"};
  if (auto why = chance(did); !why.empty()) return {0, std::move(why)};
  const auto gap = std::ranges::adjacent_find(
      all, [](const auto& a, const auto& b) { return b.sequence != a.sequence + 1; });
  const auto first =
      gap == all.end() ? all.size() : static_cast<std::size_t>(gap - all.begin()) + 1;

  Comparison found;
  std::atomic<std::uint64_t> done{0};
  Loader loader(source, other_machine(options, did.plan));
  {
    const Progress progress(settings, [&] {
      return ProgressLine{
          {fmt::format("verify: batch {} of {} delivered once more", done.load(), all.size())}};
    });
    compare(loader, all.first(first), interrupt.token(), done, found);
    if (first < all.size()) compare(loader, all.subspan(first), interrupt.token(), done, found);
  }
  if (interrupt.raised()) return {0, "interrupted"};
  if (auto why = chance(loader.report()); !why.empty()) return {0, std::move(why)};
  for (std::uint64_t i = 0; i < all.size(); ++i)
    book.check(Law::determinism, i < found.same, "{}", found.first);
  return {all.size(), {}};
}

}  // namespace

std::string chance(const Report& report) {
  constexpr std::array kinds{FaultKind::io, FaultKind::timeout, FaultKind::memory};
  for (const auto kind : kinds)
    if (const auto count = report.fault_kinds[static_cast<std::size_t>(kind)]; count > 0)
      return fmt::format("{} of kind {} need not come again", report::plural(count, "fault"),
                         to_string(kind));
  return {};
}

Options other_machine(Options options, const Plan& plan) {
  const auto alignment = options.memory.alignment;
  options =
      on_machine(std::move(options), plan.workers == 1 ? 2 : 1, plan.max_queue_size == 1 ? 2 : 1);
  options.memory = {.alignment = alignment, .max_sample_bytes = plan.max_sample_bytes};
  // This limit only ends a stream. It does not change earlier batches.
  options.faults.tolerate.reset();
  options.faults.tolerate_share = 1;
  return options;
}

Delivered::Delivered(std::uint32_t batch, std::optional<std::uint64_t> batches_in_all)
    : ends_before_((samples_at_each_end + batch - 1) / batch),
      begins_again_at_(batches_in_all ? sub_floor(*batches_in_all, ends_before_) : unlimited) {}

Delivered::Delivered(const Loader& loader, const Settings& settings)
    : Delivered(loader.plan().batch, batches_in_all(loader, settings)) {}

void Delivered::note(const Batch& batch) {
  const auto sequence = batch.sequence();
  if (sequence < ends_before_ || sequence >= begins_again_at_)
    pieces_.push_back({sequence, digest_of(batch)});
}

Determinism compare(const AnySource& source, const Settings& settings, const Options& options,
                    const Report& did, const Delivered& delivered, const Interrupt& interrupt,
                    LawBook& book) {
  try {
    return deliver_again(source, settings, options, did, delivered, interrupt, book);
  } catch (const std::exception& e) {
    return {0, e.what()};
  }
}

}  // namespace weir::cli
