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

std::uint64_t window_of(std::uint64_t size, std::uint32_t batch, std::uint32_t batches) noexcept {
  return std::min(size / batch * batch, mul_sat(batches, batch));
}

}  // namespace

SizeOrder::SizeOrder(const Sampler& sampler, std::shared_ptr<const SizeIndex> sizes,
                     ImageSize bound, std::uint32_t batch, std::uint32_t bucket_batches)
    : sampler_(sampler),
      sizes_(std::move(sizes)),
      bound_(bound),
      batch_(batch),
      whole_(sampler.size() / batch * batch),
      window_(window_of(sampler.size(), batch, bucket_batches)) {
  entries_.reserve(static_cast<std::size_t>(window_));
}

std::uint64_t SizeOrder::memory_bytes(std::uint64_t size, std::uint32_t batch,
                                      std::uint32_t bucket_batches) noexcept {
  return mul_sat(window_of(size, batch, bucket_batches), sizeof(Entry));
}

void SizeOrder::batch(std::uint64_t epoch, std::uint64_t first, std::span<std::uint64_t> indices) {
  if (window_ == 0 || first >= whole_) {
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = sampler_.index(epoch, first + i);
    return;
  }
  look_at(epoch, first / window_);
  const auto batches = entries_.size() / batch_;
  auto nth = first % window_ / batch_;
  if (sampler_.shuffles())
    nth = Permutation(batches)(mix_key({batches_of_a_window, sampler_.seed(), epoch, at_}), nth);
  for (std::size_t i = 0; i < indices.size(); ++i)
    indices[i] = entries_[static_cast<std::size_t>(nth) * batch_ + i].index;
}

void SizeOrder::look_at(std::uint64_t epoch, std::uint64_t window) {
  if (epoch == epoch_ && window == at_) return;
  entries_.clear();
  const auto first = window * window_;
  const auto count = std::min(window_, whole_ - first);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto index = sampler_.index(epoch, first + i);
    entries_.push_back({index, size_of(index), static_cast<std::uint32_t>(i)});
  }
  split(entries_);
  epoch_ = epoch;
  at_ = window;
}

void SizeOrder::split(std::span<Entry> entries) const {
  if (entries.size() <= batch_) {
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
  const auto middle = (entries.size() / batch_ + 1) / 2 * batch_;
  std::ranges::nth_element(entries, entries.begin() + static_cast<std::ptrdiff_t>(middle), {}, key);
  split(entries.first(middle));
  split(entries.subspan(middle));
}

}  // namespace weir::source
