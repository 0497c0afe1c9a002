#include "source/sampler.hpp"

#include <algorithm>
#include <string>

#include "base/checked.hpp"
#include "base/random.hpp"
#include "base/text.hpp"

namespace weir::source {
namespace {

// Each use has its own key space, so no two uses draw the same stream.
enum class Use : std::uint64_t { order, replacement, draw, group, pick, partner };

std::uint64_t key(Use use, std::uint64_t seed, std::uint64_t epoch, std::uint64_t part) noexcept {
  return mix_key({static_cast<std::uint64_t>(use), seed, epoch, part});
}
std::uint64_t key(Use use, std::uint64_t seed, std::uint64_t epoch, Position position) noexcept {
  return key(use, seed, epoch, position.value());
}

/// The attempt of the Random of Order::own. Rows have fewer attempts.
constexpr std::uint32_t attempt_of_order = UINT32_MAX;

/// The parameters of blocks may be anything for another order.
Order with_blocks(Order order) {
  if (order.kind != Order::Kind::blocks) order.block = order.together = 64;
  return order;
}

/// `from` and `distance` are below `size`.
std::uint64_t around(std::uint64_t from, std::uint64_t distance, std::uint64_t size) noexcept {
  return from >= size - distance ? from - (size - distance) : from + distance;
}

}  // namespace

Sampler::Sampler(std::uint64_t samples, const Order& order, std::uint64_t seed)
    : order_(with_blocks(order)),
      positions_(positions_of(order_, samples)),
      all_(samples),
      others_(sub_floor(
          order.kind == Order::Kind::every || order.kind == Order::Kind::own ? positions_ : samples,
          1)),
      whole_blocks_(samples / order_.block),
      group_(std::min(samples, mul_sat(order_.block, order_.together))),
      last_group_(group_.size() == 0 ? 0 : samples % group_.size()),
      table_(order_.weights && positions_ > 0 ? &order_.weights->table() : nullptr),
      seed_(seed) {}

std::uint64_t Sampler::index(std::uint64_t epoch, Position position) const {
  switch (order_.kind) {
    case Order::Kind::sequential: break;
    case Order::Kind::shuffle: return all_(key(Use::order, seed_, epoch, 0), position.value());
    case Order::Kind::blocks: return in_blocks(epoch, position);
    case Order::Kind::with_replacement:
      return scaled_below(key(Use::pick, seed_, epoch, position), samples());
    case Order::Kind::weighted: return (*table_)(key(Use::pick, seed_, epoch, position));
    case Order::Kind::every: return order_.offset + position.value() * order_.nth;
    case Order::Kind::own: return by_function(epoch, position);
  }
  return position.value();
}

std::uint64_t Sampler::in_blocks(std::uint64_t epoch, Position position) const noexcept {
  const auto group = position.value() / group_.size();
  const auto first = group * group_.size();
  const auto& mixed = samples() - first < group_.size() ? last_group_ : group_;
  const auto mixed_to =
      first + mixed(key(Use::group, seed_, epoch, group), position.value() - first);
  const auto block = mixed_to / order_.block;
  // The short last block stays last.
  if (block >= whole_blocks_.size()) return mixed_to;
  return whole_blocks_(key(Use::order, seed_, epoch, 0), block) * order_.block +
         mixed_to % order_.block;
}

std::uint64_t Sampler::by_function(std::uint64_t epoch, Position position) const {
  Random random(seed_, epoch, position.value(), attempt_of_order);
  const auto index = order_.function(epoch, position.value(), random);
  if (index < samples()) return index;
  refuse(Stage::read, "`order` = ", to_string(order_), ": its function gives index ", index,
         " for epoch ", epoch, ", position ", position.value(), "; the source has ", samples(),
         " samples");
}

std::uint64_t Sampler::replacement_of(std::uint64_t failed, std::uint64_t epoch, Position position,
                                      std::uint32_t attempt) const {
  if (others_.size() == 0) return failed;
  const auto drawn = key(Use::replacement, seed_, epoch, position);
  if (order_.kind == Order::Kind::weighted) return another_draw(failed, mix_key({drawn, attempt}));
  const auto distance = 1 + others_(drawn, (attempt - std::uint64_t{1}) % others_.size());
  switch (order_.kind) {
    case Order::Kind::every:
      return index(epoch,
                   Position(around((failed - order_.offset) / order_.nth, distance, positions_)));
    case Order::Kind::own:
      return index(epoch, Position(around(position.value(), distance, positions_)));
    default: return around(failed, distance, samples());
  }
}

std::uint64_t Sampler::another_draw(std::uint64_t failed, std::uint64_t key) const noexcept {
  // A sample that has almost all of the weight stands in for itself.
  constexpr int most_draws = 64;
  RandomStream random(key);
  auto index = failed;
  for (int i = 0; i < most_draws && index == failed; ++i) index = (*table_)(random.next());
  return index;
}

std::uint64_t Sampler::draw(std::uint64_t epoch, Position position, std::uint32_t partner,
                            std::uint32_t attempt) const noexcept {
  auto drawn = key(Use::draw, seed_, epoch, position);
  if (partner > 0) drawn = mix_key({drawn, static_cast<std::uint64_t>(Use::partner), partner});
  return attempt == 0 ? drawn : mix_key({drawn, attempt});
}

std::uint64_t Sampler::partner_key(std::uint64_t epoch, Position position,
                                   std::uint32_t partner) const noexcept {
  return mix_key({key(Use::partner, seed_, epoch, position), partner});
}

std::uint64_t Sampler::choices() const noexcept {
  if (order_.kind == Order::Kind::weighted) return unlimited;
  const bool of_positions = order_.kind == Order::Kind::every || order_.kind == Order::Kind::own;
  return of_positions ? positions_ : samples();
}

std::uint64_t Sampler::choice(std::uint64_t epoch, std::uint64_t key, std::uint64_t i) const {
  switch (order_.kind) {
    case Order::Kind::weighted: return (*table_)(mix_key({key, i}));
    case Order::Kind::every:
    case Order::Kind::own: return index(epoch, Position(Permutation(positions_)(key, i)));
    default: return all_(key, i);
  }
}

bool Sampler::draws(std::uint64_t index) const noexcept {
  if (order_.kind == Order::Kind::every)
    return index >= order_.offset && (index - order_.offset) % order_.nth == 0;
  if (order_.kind != Order::Kind::weighted) return true;
  return order_.weights->values()[static_cast<std::size_t>(index)] > 0;
}

}  // namespace weir::source
