#include "weir/order.hpp"
#include "base/numbers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "source/order.hpp"
#include "source/weights.hpp"

namespace weir {
namespace {

/// A kind of order, and the numbers behind its name in a text.
struct OrderKind {
  Order::Kind kind;
  std::string_view name;
  bool all, repeats, fixed;
  std::uint64_t Order::*numbers[2] = {nullptr, nullptr};
  std::size_t needed = 0;  ///< numbers that a text must have
  std::uint64_t least[2] = {1, 1};
};
constexpr OrderKind order_kinds[] = {
    {Order::Kind::sequential, "sequential", true, false, true},
    {Order::Kind::shuffle, "shuffle", true, false, false},
    {Order::Kind::blocks, "blocks", true, false, false, {&Order::block, &Order::together}},
    {Order::Kind::with_replacement, "with_replacement", false, true, false, {&Order::draws}},
    {Order::Kind::weighted, "weighted", false, true, false},
    {Order::Kind::every, "every", false, false, true, {&Order::nth, &Order::offset}, 1, {1, 0}},
    {Order::Kind::own, "own", false, true, false},
};

/// `kind` may be no enumerator.
const OrderKind& kind_row(Order::Kind kind) noexcept {
  const auto* const row = std::ranges::find(order_kinds, kind, &OrderKind::kind);
  return row == std::end(order_kinds) ? order_kinds[0] : *row;
}

}  // namespace

Order Order::weighted(std::vector<double> weights, std::uint64_t draws) {
  return {.kind = Order::Kind::weighted,
          .draws = draws,
          .weights = std::make_shared<const source::Weights>(std::move(weights))};
}

Order Order::own(std::string name, std::uint64_t draws, Function function) {
  return {.kind = Order::Kind::own,
          .draws = draws,
          .name = std::move(name),
          .function = std::move(function)};
}

std::string to_string(const Order& order) {
  const auto& row = kind_row(order.kind);
  std::string text(row.name);
  if (row.kind == Order::Kind::weighted && order.weights) text += ':' + order.weights->hash();
  if (row.kind == Order::Kind::own) text += ':' + order.name;
  for (const auto number : row.numbers)
    if (number && number != &Order::draws) text += concat(':', order.*number);
  return text;
}

bool operator==(const Order& a, const Order& b) {
  return (a.draws == b.draws || !source::repeats(a.kind)) && to_string(a) == to_string(b);
}

namespace source {

std::optional<Order> parse_order(std::string_view text) {
  const auto words = split(text, ':');
  const auto* const row = std::ranges::find(order_kinds, words[0], &OrderKind::name);
  if (row == std::end(order_kinds) || row->kind == Order::Kind::weighted ||
      row->kind == Order::Kind::own)
    return std::nullopt;
  Order order{.kind = row->kind};
  const auto numbers = words.size() - 1;
  if (numbers < row->needed || numbers > std::size(row->numbers)) return std::nullopt;
  for (std::size_t i = 0; i < numbers; ++i) {
    if (!row->numbers[i]) return std::nullopt;
    auto& number = order.*row->numbers[i];
    const auto found = parse_number<std::remove_reference_t<decltype(number)>>(words[i + 1]);
    if (!found || *found < row->least[i]) return std::nullopt;
    number = *found;
  }
  return order;
}

std::uint64_t positions_of(const Order& order, std::uint64_t samples) noexcept {
  if (samples == 0) return 0;
  if (order.kind == Order::Kind::every)
    return order.offset >= samples
               ? 0
               : (samples - order.offset - 1) / std::max<std::uint64_t>(1, order.nth) + 1;
  return repeats(order.kind) && order.draws > 0 ? order.draws : samples;
}

bool draws_all(Order::Kind kind) noexcept { return kind_row(kind).all; }
bool repeats(Order::Kind kind) noexcept { return kind_row(kind).repeats; }
bool is_fixed(Order::Kind kind) noexcept { return kind_row(kind).fixed; }

}  // namespace source
}  // namespace weir
