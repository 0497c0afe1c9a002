#include "report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "plan/resolve.hpp"
#include "weir/advice.hpp"

namespace weir::report {
namespace {

AccountingCost cost_of(const Run& run, std::uint64_t events, double event_ns) noexcept {
  const auto samples = static_cast<double>(run.figures.samples.drawn);
  AccountingCost cost{.event_ns = event_ns};
  if (samples == 0) return cost;
  cost.events_per_sample = static_cast<double>(events) / samples;
  cost.ns_per_sample = cost.events_per_sample * event_ns;
  if (run.cpu_s > 0) cost.share_of_cpu = cost.ns_per_sample * samples / (run.cpu_s * 1e9);
  return cost;
}

}  // namespace

bool has_blank_rows(const Plan& plan) {
  return plan.origin && plan.origin->options.faults.policy == OnFault::blank;
}

std::string_view counted(const Plan& plan) {
  return plan.partners > 0 || has_blank_rows(plan) ? "rows" : "samples";
}

bool is_tuned(const Plan& plan) { return plan.origin && plan.origin->given.tuned; }

std::uint64_t node_bytes(const Plan& plan) noexcept {
  return mul_sat(plan.ceiling_bytes, plan.ranks.local_world);
}

std::vector<std::uint32_t> default_depths(const Plan& plan) {
  std::set<std::uint32_t> depths{plan.max_queue_size};
  constexpr std::uint32_t always_shown = 16;
  for (std::uint64_t depth = 1; depth <= std::max(plan.max_queue_size, always_shown); depth *= 2)
    depths.insert(static_cast<std::uint32_t>(depth));
  return {depths.begin(), depths.end()};
}

std::vector<std::pair<std::string, std::uint64_t>> slab_columns(const Plan& plan,
                                                                const SlabBytes& slabs) {
  const auto images = std::span(slabs.images).first(1 + plan.planes.size());
  std::vector<std::uint64_t> bytes(images.begin(), images.end());
  if (plan.annotation_bytes > 0) bytes.push_back(slabs.annotation);
  if (plan.decode != Decode::none) bytes.push_back(slabs.window);
  bytes.push_back(slabs.rest);
  std::vector<std::pair<std::string, std::uint64_t>> out;
  for (auto& column : plan.columns()) out.emplace_back(std::move(column.name), bytes[out.size()]);
  return out;
}

AccountingCost books_cost(const Run& run) noexcept {
  return cost_of(run, run.figures.postings, run.posting_ns);
}

AccountingCost stats_cost(const Run& run) noexcept {
  return cost_of(run, run.figures.readings, run.reading_ns);
}

double measure_posting_ns() {
  MemoryLedger ledger(1);
  auto charge = ledger.try_charge(Account::cache, 1);
  return median_ns(20'000,
                   [&](int i) { charge->transfer(i % 2 == 0 ? Account::index : Account::cache); });
}

Grid pixel_grid(ElementType type) {
  constexpr std::uint64_t channels = channels_of(PixelFormat::rgb8);
  Grid grid{.type = type, .batches = {}, .sides = {}, .bytes = {}};
  for (std::uint64_t batch = 32; batch <= 65536; batch *= 2) grid.batches.push_back(batch);
  for (std::uint64_t side = 32; side <= 1024; side *= 2) grid.sides.push_back(side);
  for (const auto batch : grid.batches) {
    auto& row = grid.bytes.emplace_back();
    for (const auto side : grid.sides)
      row.push_back(batch * side * side * channels * element_bytes(type));
  }
  return grid;
}

std::string gibibytes(std::uint64_t bytes) {
  if (bytes == 0) return "0";
  constexpr int significant = 3;
  const double gib = static_cast<double>(bytes) / static_cast<double>(1ull << 30);
  const int whole_digits = static_cast<int>(std::floor(std::log10(gib))) + 1;
  auto text = fmt::format("{:.{}f}", gib, std::max(0, significant - whole_digits));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

}  // namespace weir::report
