#include "cli/setting_grid.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "plan/loader_bytes.hpp"
#include "plan/predict.hpp"
#include "plan/workload.hpp"

namespace weir::cli {
namespace {

using report::Json;

/// Powers of two, of four if there are many, up to `most`, and the values in `own`.
std::vector<std::uint32_t> axis(std::uint32_t least, std::uint32_t most,
                                std::initializer_list<std::uint32_t> own) {
  constexpr std::uint32_t many = 16;
  std::set<std::uint32_t> values(own);
  const std::uint32_t factor = most > many ? 4 : 2;
  values.insert(least);
  for (std::uint64_t value = factor / 2; value <= most; value *= factor)
    values.insert(static_cast<std::uint32_t>(value));
  return {values.begin(), values.end()};
}

Json point(const Window& window, const simulation::Workload& work, const Setting& setting) {
  try {
    const auto plan = plan_with(window, setting, window.plan.budget_bytes);
    if (setting_of(plan).max_queue_size != setting.max_queue_size) return nullptr;
    const auto found = predict(plan, work, window.encoded_bytes);
    return {{"samples_per_s", found.samples_per_s},
            {"consumer_wait", found.consumer_wait},
            {"data_readiness", found.data_readiness},
            {"total_bytes", found.total_bytes},
            {"regime", to_string(found.verdict.regime)}};
  } catch (const Error& error) {
    if (error.code() == Errc::budget_too_small) return nullptr;
    throw;
  }
}

}  // namespace

Json setting_grid(const Window& window, const Advice& advice) {
  const auto &now = advice.now.setting, &to = advice.recommended.setting;
  const auto queues = axis(1, 16, {now.max_queue_size, to.max_queue_size});
  const auto workers = axis(1, window.cores, {now.workers, to.workers});
  const auto most_reads =
      std::max({now.read_ahead, to.read_ahead, advice.ceiling.setting.read_ahead});
  const auto reads = most_reads == 0 ? std::vector<std::uint32_t>{0}
                                     : axis(0, 64, {now.read_ahead, to.read_ahead});
  // Without a consumer: the times in which the loader makes a batch.
  const double own = window.consumer.mean_s;
  const double batch = now.batch / std::max(advice.ceiling.samples_per_s, 1e-9);
  const double base = own > 0.05 * batch ? own : batch;
  std::set<double> times{own, base / 2, base, 2 * base};
  constexpr std::uint64_t shorter = 4;
  std::vector<simulation::Workload> works;
  for (const auto seconds : times) {
    const double scale = own > 0 ? seconds / own : 0;
    const Service consumer{window.consumer.count, seconds, window.consumer.deviation_s * scale};
    works.push_back(simulation::workload_of(window, now.batch, 0, &consumer));
    works.back().batches = std::max<std::uint64_t>(works.back().batches / shorter, 64);
  }
  Json points = Json::array();
  const auto measured = static_cast<std::size_t>(std::distance(times.begin(), times.find(own)));
  std::size_t now_at = 0;
  for (const auto queue : queues)
    for (const auto count : workers)
      for (const auto ahead : reads) {
        const Setting setting{queue, count, ahead, now.batch};
        if (setting == now) now_at = points.size() + measured;
        for (const auto& work : works) points.push_back(point(window, work, setting));
      }
  return {{"max_queue_size", queues}, {"workers", workers}, {"read_ahead", reads},
          {"consumer_s", times},      {"now", now_at},      {"points", std::move(points)}};
}

}  // namespace weir::cli
