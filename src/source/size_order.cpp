#include "source/size_order.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/checked.hpp"
#include "base/random.hpp"
#include "source/permutation.hpp"

namespace weir::source {
namespace {

// This key space differs from those of Sampler.
constexpr std::uint64_t batches_of_a_window = 1'000'001;

/// Of a position whose order throws.
constexpr std::uint64_t no_index = UINT64_MAX;

/// Positions of a window; 0: no buckets. A window has no more positions than there are samples, but
/// for a single batch.
std::uint64_t window_of(std::uint64_t positions, std::uint64_t samples, std::uint64_t batch,
                        std::uint32_t batches) noexcept {
  const auto most = std::min(positions / batch, std::max<std::uint64_t>(1, samples / batch));
  return std::min<std::uint64_t>(most, batches) * batch;
}

/// The most positions of a window of any batch up to `most_batch`. A smaller batch can have a
/// larger window, because whole batches make up a window.
std::uint64_t most_window(std::uint64_t positions, std::uint64_t samples, std::uint64_t most_batch,
                          std::uint32_t batches) noexcept {
  return std::min({positions, std::max(samples, most_batch), mul_sat(batches, most_batch)});
}

}  // namespace

SizeOrder::SizeOrder(const Sampler& sampler, std::shared_ptr<const SizeIndex> sizes,
                     ImageSize bound, std::uint64_t most_batch, std::uint32_t bucket_batches)
    : sampler_(sampler), sizes_(std::move(sizes)), bound_(bound), bucket_batches_(bucket_batches) {
  entries_.reserve(static_cast<std::size_t>(
      most_window(sampler.positions(), sampler.samples(), most_batch, bucket_batches)));
}

std::uint64_t SizeOrder::memory_bytes(std::uint64_t positions, std::uint64_t samples,
                                      std::uint64_t most_batch,
                                      std::uint32_t bucket_batches) noexcept {
  return mul_sat(most_window(positions, samples, most_batch, bucket_batches), sizeof(Entry));
}

std::uint64_t SizeOrder::hash_of(const SizeIndex& sizes, ImageSize bound) noexcept {
  std::uint64_t hash = 0;
  for (std::uint64_t i = 0; i < sizes.size(); ++i) {
    const auto [height, width] = scaled_within(sizes[i], bound);
    hash = mix_key({hash, height, width});
  }
  return hash;
}

std::uint64_t SizeOrder::index(std::uint64_t epoch, Position at, std::uint64_t batch) {
  const auto position = at.value();
  const auto whole = sampler_.positions() / batch * batch;
  const auto window = window_of(sampler_.positions(), sampler_.samples(), batch, bucket_batches_);
  if (window == 0 || position >= whole) return sampler_.index(epoch, at);
  const auto number = position / window, first = number * window;
  const auto count = std::min(window, whole - first);
  look_at({epoch, first, batch}, count);
  auto nth = (position - first) / batch;
  if (sampler_.shuffles())
    nth = Permutation(count / batch)(mix_key({batches_of_a_window, sampler_.seed(), epoch, number}),
                                     nth);
  const auto& entry = entries_[static_cast<std::size_t>(nth * batch + position % batch)];
  // Throws what kept the entry from having an index.
  return entry.index == no_index ? sampler_.index(epoch, Position(first + entry.rank))
                                 : entry.index;
}

void SizeOrder::look_at(const Window& window, std::uint64_t count) {
  if (window == at_) return;
  entries_.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto index = index_or_none(window.epoch, Position(window.first + i));
    entries_.push_back(
        {index, index == no_index ? ImageSize{} : size_of(index), static_cast<std::uint32_t>(i)});
  }
  at_ = window;
  split(entries_);
}

std::uint64_t SizeOrder::index_or_none(std::uint64_t epoch, Position position) const noexcept {
  try {
    return sampler_.index(epoch, position);
  } catch (...) {
    return no_index;
  }
}

void SizeOrder::split(std::span<Entry> entries) const {
  if (entries.size() <= at_.batch) {
    // In a batch, samples keep the sampler's order.
    std::ranges::sort(entries, {}, &Entry::rank);
    return;
  }
  const auto [low_height, high_height] =
      std::ranges::minmax(entries, {}, [](const Entry& entry) { return entry.size.height; });
  const auto [low_width, high_width] =
      std::ranges::minmax(entries, {}, [](const Entry& entry) { return entry.size.width; });
  // Uses the ratio of the largest to the smallest side. An unknown size counts as 1.
  const auto at_least_1 = [](std::uint32_t side) { return std::uint64_t{std::max(side, 1u)}; };
  const bool by_height = at_least_1(high_height.size.height) * at_least_1(low_width.size.width) >=
                         at_least_1(high_width.size.width) * at_least_1(low_height.size.height);
  const auto key = [by_height](const Entry& entry) {
    const auto [height, width] = entry.size;
    return by_height ? std::tuple(height, width, entry.rank)
                     : std::tuple(width, height, entry.rank);
  };
  const auto middle = (entries.size() / at_.batch + 1) / 2 * at_.batch;
  std::ranges::nth_element(entries, entries.begin() + static_cast<std::ptrdiff_t>(middle), {}, key);
  split(entries.first(middle));
  split(entries.subspan(middle));
}

}  // namespace weir::source
