#include "plan/order_plan.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "options/refuse.hpp"
#include "plan/pixel_plan.hpp"
#include "source/order.hpp"
#include "source/size_order.hpp"
#include "source/weights.hpp"

namespace weir::plan {
namespace {

void require(bool holds, const char* option, const auto& value, const auto&... bound) {
  if (!holds) refuse_value(option, value, bound...);
}

}  // namespace

void check_order(const Order& order, std::uint64_t samples) {
  using enum Order::Kind;
  const auto kind = order.kind;
  require(source::repeats(kind) || order.draws == 0, "order.draws", order.draws,
          "is for with_replacement, weighted and own");
  require(kind == every || order.nth == 1, "order.nth", order.nth, "is for every");
  require(kind == every || order.offset == 0, "order.offset", order.offset, "is for every");
  require(kind == blocks || order.block == Order().block, "order.block", order.block,
          "is for blocks");
  require(kind == blocks || order.together == Order().together, "order.together", order.together,
          "is for blocks");
  switch (order.kind) {
    case sequential:
    case shuffle:
    case with_replacement: return;
    case blocks:
      require(order.block > 0, "order.block", 0, "must be 1 or more");
      require(order.together > 0, "order.together", 0, "must be 1 or more");
      return;
    case every:
      require(order.nth > 0, "order.nth", 0, "must be 1 or more");
      require(samples == 0 || order.offset < samples, "order.offset", order.offset,
              "leaves no sample; the source has ", samples, " samples");
      return;
    case weighted:
      require(order.weights != nullptr, "order.weights", "null", "use Order::weighted(weights)");
      require(samples == 0 || order.weights->values().size() == samples, "order.weights",
              concat(order.weights->values().size(), " weights"), "the source has ", samples,
              " samples, and each needs one weight");
      return;
    case own:
      check_name("order.name", order.name);
      require(bool(order.function), "order.function", "empty",
              "use Order::own(name, draws, function)");
  }
}

conductor::Batching batching_of(const Options& options, const Ranks& ranks,
                                std::uint64_t positions) noexcept {
  Progress::Buckets buckets{.batches = options.sizes.bucket_batches};
  if (const auto& sizes = options.sizes; buckets.batches > 0 && sizes.index)
    buckets.sizes = source::SizeOrder::hash_of(*sizes.index, sizes.bound());
  return {.samples = positions,
          .batch = options.batch,
          .drop_last = options.drop_last,
          .rank = {ranks.rank, ranks.world},
          .buckets = buckets};
}

}  // namespace weir::plan
