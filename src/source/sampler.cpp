#include "source/sampler.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/random.hpp"
#include "source/order.hpp"

namespace weir::source {
namespace {

// Each use has its own key space, so no two uses draw the same stream.
enum class Use : std::uint64_t { order, replacement, draw, group };

std::uint64_t key(Use use, std::uint64_t seed, std::uint64_t epoch,
                  std::uint64_t position) noexcept {
  return mix_key({static_cast<std::uint64_t>(use), seed, epoch, position});
}

}  // namespace

Sampler::Sampler(std::uint64_t samples, const Order& order, std::uint64_t seed) noexcept
    // The parameters of blocks may be anything for another order.
    : order_(order.kind == Order::Kind::blocks ? order : Order{.kind = order.kind}),
      positions_(positions_of(order_, samples)),
      all_(samples),
      others_(samples > 0 ? samples - 1 : 0),
      whole_blocks_(samples / order_.block),
      group_(std::min(samples, mul_sat(order_.block, order_.together))),
      last_group_(group_.size() == 0 ? 0 : samples % group_.size()),
      seed_(seed) {}

std::uint64_t Sampler::index(std::uint64_t epoch, std::uint64_t position) const noexcept {
  switch (order_.kind) {
    case Order::Kind::sequential: break;
    case Order::Kind::shuffle: return all_(key(Use::order, seed_, epoch, 0), position);
    case Order::Kind::blocks: return in_blocks(epoch, position);
  }
  return position;
}

std::uint64_t Sampler::in_blocks(std::uint64_t epoch, std::uint64_t position) const noexcept {
  const auto group = position / group_.size();
  const auto first = group * group_.size();
  const auto& mixed = samples() - first < group_.size() ? last_group_ : group_;
  const auto mixed_to = first + mixed(key(Use::group, seed_, epoch, group), position - first);
  const auto block = mixed_to / order_.block;
  // The short last block stays last.
  if (block >= whole_blocks_.size()) return mixed_to;
  return whole_blocks_(key(Use::order, seed_, epoch, 0), block) * order_.block +
         mixed_to % order_.block;
}

std::uint64_t Sampler::replacement_of(std::uint64_t failed, std::uint64_t epoch,
                                      std::uint64_t position,
                                      std::uint32_t attempt) const noexcept {
  if (others_.size() == 0) return failed;
  const auto step = (attempt - std::uint64_t{1}) % others_.size();
  const auto distance = 1 + others_(key(Use::replacement, seed_, epoch, position), step);
  return failed >= samples() - distance ? failed - (samples() - distance) : failed + distance;
}

std::uint64_t Sampler::draw(std::uint64_t epoch, std::uint64_t position) const noexcept {
  return key(Use::draw, seed_, epoch, position);
}

}  // namespace weir::source
