#include "report/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "report/bytes.hpp"
#include "report/figures.hpp"
#include "report/stats_text.hpp"
#include "report/table.hpp"

namespace weir::report {
namespace {

std::string times(const Service& service) {
  if (service.count == 0) return "none";
  return fmt::format("{:.2f} ms (deviation {:.2f})", service.mean_s * 1e3,
                     service.deviation_s * 1e3);
}

}  // namespace

Json to_json(const Prediction& p) {
  Json out = to_json(p.setting);
  out.update({{"samples_per_s", p.samples_per_s},
              {"consumer_wait", p.consumer_wait},
              {"data_readiness", p.data_readiness},
              {"slabs", p.slabs},
              {"staging_bytes", p.staging_bytes},
              {"peak_staging_bytes", p.peak_staging_bytes},
              {"total_bytes", p.total_bytes},
              {"regime", to_string(p.verdict.regime)}});
  return out;
}

Json depths_json(const Plan& plan, std::span<const Prediction> predictions) {
  Json depths = Json::array();
  for (const auto& prediction : predictions) {
    auto& depth = depths.emplace_back(to_json(cost_at(plan, prediction.setting.max_queue_size)));
    depth["predicted"] = to_json(prediction);
  }
  return depths;
}

Json depths_json(const Plan& plan) {
  Json depths = Json::array();
  for (const auto depth : default_depths(plan)) depths.push_back(to_json(cost_at(plan, depth)));
  return depths;
}

Json to_json(const Advice& advice) {
  Json caches = Json::array();
  for (const auto& cache : advice.cache)
    caches.push_back({{"keep", to_string(cache.keep)},
                      {"whole_bytes", cache.whole_bytes},
                      {"whole", to_json(cache.whole)},
                      {"bytes", cache.bytes},
                      {"share", cache.share},
                      {"to", to_json(cache.to)}});
  Json steps = Json::array();
  for (const auto& step : advice.steps)
    steps.push_back({{"change", step.change}, {"to", to_json(step.to)}});
  return {{"now", to_json(advice.now)},
          {"recommended", to_json(advice.recommended)},
          {"ceiling", to_json(advice.ceiling)},
          {"steps", std::move(steps)},
          {"sentences", advice.sentences},
          {"flags", advice.flags},
          {"code", advice.code},
          {"cache", std::move(caches)}};
}

std::string advice_text(const Advice& advice) {
  Table table("<Settings|queue|workers|ahead|samples/s|ready|waited|bound|peak|all MiB", 0);
  const auto add = [&](const std::string& name, const Prediction& p) {
    const auto& s = p.setting;
    table.add({"  " + name, grouped(s.max_queue_size), grouped(s.workers), grouped(s.read_ahead),
               fmt::format("{:.1f}", p.samples_per_s), percent(p.data_readiness),
               percent(p.consumer_wait), mebibytes(p.staging_bytes, 1),
               mebibytes(p.peak_staging_bytes, 1), mebibytes(p.total_bytes, 1)});
  };
  add("recommended", advice.recommended);
  if (advice.now.setting != advice.recommended.setting) add("now", advice.now);
  add("all there is", advice.ceiling);
  for (const auto& step : advice.steps) add(step.change, step.to);

  std::string parts = "Advice\n";
  for (const auto& sentence : advice.sentences) parts += indented(sentence);
  std::string code;
  for (std::string_view rest = advice.code; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    code += fmt::format("  {}\n", rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return parts + '\n' + table.text() +
         "predicted; ready: share of next() calls that find a batch waiting; waited: share of the "
         "time\nthat the consumer waits; bound: MiB that slabs may have; peak: that they would "
         "have; "
         "all MiB:\nthe bound with index, workers and reads ahead\n\nTo paste\n  " +
         advice.flags + "\n\n" + code;
}

std::string window_text(const Window& window, const Verdict& verdict, std::uint32_t read_ahead) {
  return fmt::format("Regime: {}\n", to_string(verdict.regime)) + indented(verdict.why) +
         fmt::format(
             "\nMeasured {} samples in {:.2f} s, {} workers on {} cores, read_ahead {}{}\n"
             "  a read          {}\n  a decode        {}\n  the consumer    {} a batch of {}\n",
             grouped(window.samples), window.seconds, window.plan.workers, window.cores, read_ahead,
             read_ahead == window.plan.read_ahead
                 ? ""
                 : fmt::format(" (asked {}: it would have taken too long)", window.plan.read_ahead),
             times(window.read), times(window.decode), times(window.consumer), window.plan.batch);
}

}  // namespace weir::report
