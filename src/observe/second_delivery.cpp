#include "observe/second_delivery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/terms.hpp"
#include "observe/digest.hpp"
#include "options/on_machine.hpp"
#include "report/stats_text.hpp"

namespace weir::observe {
namespace {

void add(Digest& digest, const ImageView& image) {
  for (std::size_t y = 0; y < image.shape.height; ++y)
    digest.add(std::as_bytes(std::span(image.data + y * image.row_stride, image.line_bytes())));
}

/// Of the rows of one step, in the order of the ranks.
std::string digest_of(std::span<const Batch> parts) {
  Digest digest;
  for (const auto& batch : parts)
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      if (batch.statuses()[i] == RowStatus::padding) continue;
      const auto epoch = batch.epoch();
      digest.add(std::as_bytes(std::span(&epoch, 1)));
      digest.add(std::as_bytes(batch.labels().subspan(i, 1)));
      digest.add(std::as_bytes(batch.indices().subspan(i, 1)));
      digest.add(std::as_bytes(batch.statuses().subspan(i, 1)));
      digest.add(batch.annotation(i));
      if (!batch.encoded().empty())
        digest.add(std::as_bytes(batch.encoded()[i].bytes));
      else
        add(digest, batch.image(i));
      for (const auto& name : batch.planes()) {
        digest.add(std::as_bytes(batch.plane(name).statuses().subspan(i, 1)));
        add(digest, batch.plane(name).image(i));
      }
    }
  return std::move(digest).hex();
}

/// The reason why the batches of another loader may differ. Empty if they must be equal.
std::string chance(const Report& report) {
  constexpr std::array kinds{FaultKind::io, FaultKind::timeout, FaultKind::memory};
  for (const auto kind : kinds)
    if (const auto count = report.fault_kinds[static_cast<std::size_t>(kind)]; count > 0)
      return fmt::format("{} of kind {} need not come again", report::plural(count, "fault"),
                         to_string(kind));
  return {};
}

/// Loaders of all ranks with every change that must not change what is delivered.
std::vector<Loader> other_loaders(const AnySource& source, const Options& options,
                                  std::uint32_t world, const Plan& plan) {
  auto other =
      options::on_machine(options, plan.workers == 1 ? 2 : 1, plan.max_queue_size == 1 ? 2 : 1);
  other.memory = {.alignment = options.memory.alignment, .max_sample_bytes = plan.max_sample_bytes};
  // This limit only ends a stream. It does not change earlier batches.
  other.faults.tolerate.reset();
  other.faults.tolerate_share = 1;
  other.batch /= world;
  std::vector<Loader> loaders;
  for (std::uint32_t rank = 0; rank < world; ++rank) {
    if (world > 1) other.ranks = Ranks::given(rank, world);
    loaders.emplace_back(source, other);
  }
  return loaders;
}

/// The next batch of each stream. Empty if one has ended.
std::vector<Batch> next_step(std::vector<Stream>& streams) {
  std::vector<Batch> parts;
  for (auto& stream : streams) {
    auto part = stream.next();
    if (!part) return {};
    parts.push_back(std::move(*part));
  }
  return parts;
}

/// Compares consecutive pieces with streams that begin at the first one.
void compare(std::vector<Loader>& loaders, std::span<const Delivered::Piece> pieces,
             const std::stop_token& stop, std::atomic<std::uint64_t>& done, SecondDelivery& found) {
  std::string ended = "the stream ended";
  try {
    std::vector<Stream> streams;
    for (auto& loader : loaders)
      streams.push_back(loader.stream({.resume = loader.progress_after(pieces.front().sequence),
                                       .epochs = std::nullopt,
                                       .stop = stop}));
    for (; !pieces.empty(); pieces = pieces.subspan(1), ++done) {
      const auto parts = next_step(streams);
      if (parts.empty()) break;
      if (digest_of(parts) == pieces.front().digest)
        ++found.same;
      else if (found.difference.empty())
        found.difference = fmt::format("batch {} was delivered otherwise by another loader",
                                       pieces.front().sequence);
    }
  } catch (const Error& e) {
    // Only errors of the stream are breaches. A lack of memory or threads is not.
    ended = plain_text(e);
  }
  if (!pieces.empty() && found.difference.empty())
    found.difference = fmt::format("batch {} was not delivered by another loader: {}",
                                   pieces.front().sequence, ended);
}

SecondDelivery compared(std::vector<Loader> loaders, std::span<const Delivered::Piece> all,
                        const std::stop_token& stop, std::atomic<std::uint64_t>& done) {
  SecondDelivery found{.compared = all.size()};
  const auto gap = std::ranges::adjacent_find(
      all, [](const auto& a, const auto& b) { return b.sequence != a.sequence + 1; });
  const auto first =
      gap == all.end() ? all.size() : static_cast<std::size_t>(gap - all.begin()) + 1;
  compare(loaders, all.first(first), stop, done, found);
  if (first < all.size()) compare(loaders, all.subspan(first), stop, done, found);
  for (const auto& loader : loaders)
    if (auto why = chance(loader.report()); !why.empty()) return {.skipped = std::move(why)};
  if (stop.stop_requested()) return {.skipped = "interrupted"};
  return found;
}

}  // namespace

Delivered::Delivered(const Loader& loader, std::uint64_t batches)
    : ends_before_((samples_at_each_end + loader.plan().batch - 1) / loader.plan().batch),
      begins_again_at_(batches == UINT64_MAX ? batches : sub_floor(batches, ends_before_)) {}

void Delivered::note(const Batch& batch) {
  const auto sequence = batch.sequence();
  if (sequence < ends_before_ || sequence >= begins_again_at_)
    pieces_.push_back({sequence, digest_of({&batch, 1})});
}

SecondDelivery deliver_again(const AnySource& source, const Options& options, std::uint32_t world,
                             const Report& did, const Delivered& delivered,
                             const std::stop_token& stop, std::atomic<std::uint64_t>& done) {
  if (delivered.pieces().empty()) return {.skipped = "no batch was delivered"};
  if (auto why = chance(did); !why.empty()) return {.skipped = std::move(why)};
  try {
    return compared(other_loaders(source, options, world, did.plan), delivered.pieces(), stop,
                    done);
  } catch (const std::exception& e) {
    return {.skipped = e.what()};
  }
}

}  // namespace weir::observe
