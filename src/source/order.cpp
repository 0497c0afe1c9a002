#include "weir/order.hpp"

#include "source/order.hpp"

#include <charconv>

namespace weir {

std::string to_string(const Order& order) {
  switch (order.kind) {
    case Order::Kind::sequential: break;
    case Order::Kind::shuffle: return "shuffle";
    case Order::Kind::blocks:
      return "blocks:" + std::to_string(order.block) + ':' + std::to_string(order.together);
  }
  return "sequential";
}

std::optional<Order> source::parse_order(std::string_view text) {
  if (text == "sequential") return Order::sequential();
  if (text == "shuffle") return Order::shuffle();
  constexpr std::string_view blocks = "blocks";
  if (!text.starts_with(blocks)) return std::nullopt;
  text.remove_prefix(blocks.size());
  auto order = Order::blocks();
  for (auto* const number : {&order.block, &order.together}) {
    if (text.empty()) break;
    const auto* const end = text.data() + text.size();
    const auto [rest, failed] = std::from_chars(text.data() + 1, end, *number);
    if (text[0] != ':' || failed != std::errc() || *number == 0) return std::nullopt;
    text = {rest, end};
  }
  return text.empty() ? std::optional(order) : std::nullopt;
}

std::uint64_t source::positions_of(const Order&, std::uint64_t samples) noexcept { return samples; }

}  // namespace weir
