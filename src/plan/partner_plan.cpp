#include "plan/partner_plan.hpp"

#include <algorithm>
#include <string>

#include "options/refuse.hpp"
#include "plan/pixel_plan.hpp"
#include "source/order.hpp"
#include "source/weights.hpp"

namespace weir::plan {
namespace {

/// How many different samples the order can draw, at most.
std::uint64_t different(const Order& order, std::uint64_t samples) {
  if (order.kind == Order::Kind::every) return source::positions_of(order, samples);
  if (!order.weights) return samples;
  return static_cast<std::uint64_t>(
      std::ranges::count_if(order.weights->values(), [](double weight) { return weight > 0; }));
}

}  // namespace

void check_partners(const Options& o, std::uint64_t samples) {
  const auto& [count, pick, repeat, choose, name] = o.partners;
  const bool own = pick == PartnerPick::own;
  if (count == 0) {
    if (pick != PartnerPick::any || repeat || choose || !name.empty())
      refuse("`partners.pick`, repeat, choose and name without `partners.count`: remove them");
    return;
  }
  if (own != bool(choose))
    refuse_value("partners.pick", own ? "own" : "any or same_label",
                 own ? "needs `partners.choose`" : "`partners.choose` is for own; remove it");
  if (own) check_name("partners.name", name);
  if (!own && !name.empty()) refuse("`partners.name` without `partners.choose`: remove it");
  if (own && repeat)
    refuse("`partners.repeat` with `partners.pick` = own: `partners.choose` decides it");
  if (pick == PartnerPick::same_label && o.order.kind == Order::Kind::own)
    refuse(
        "`partners.pick` = same_label with Order::own: it is unknown which samples the order "
        "draws; use `partners.pick` = own");
  if (o.window.same_each_epoch)
    refuse(
        "`window.same_each_epoch` with partners: a sample is a part of other rows in each epoch");
  const auto most = different(o.order, samples);
  if (samples > 0 && !own && !repeat && count >= most)
    throw Error(Errc::bad_options, Stage::wait,
                OptionProblem{"partners.count", std::to_string(count),
                              concat("must be below the number of samples that the order draws, ",
                                     most, ", because the samples of a row differ"),
                              "or set `partners.repeat`"});
}

}  // namespace weir::plan
