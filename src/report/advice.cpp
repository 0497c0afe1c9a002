#include "report/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "advice/plan_with.hpp"
#include "advice/search.hpp"
#include "advice/workload.hpp"
#include "options/option_row.hpp"
#include "plan/resolve.hpp"
#include "report/bytes.hpp"
#include "report/figures.hpp"
#include "report/stats_text.hpp"
#include "report/table.hpp"

namespace weir::report {
namespace {

std::string times(const Service& service) {
  if (service.count == 0) return "none";
  const int digits = service.mean_s < 1e-4 ? 4 : 2;
  return fmt::format("{:.{}f} ms (standard deviation {:.{}f})", service.mean_s * 1e3, digits,
                     service.deviation_s * 1e3, digits);
}

/// Whether it only takes fewer bytes. It is neither faster nor more often ready.
bool only_saves(const Lever& lever, const Prediction& now) {
  return lever.bytes < 0 && lever.gain.value_or(1) < 1 + advice::least_gain &&
         lever.result.data_readiness < now.data_readiness + advice::least_gain;
}

std::string fit_text(const Plan& plan) {
  const auto& fit = *options::find("fit");
  return fmt::format("fit {}, ", fit.text(fit, plan.origin->options));
}

std::string code_lines(std::string_view code) {
  std::string lines;
  for (const char c : code)
    lines += (lines.empty() || lines.ends_with('\n') ? "     " : "") + std::string(1, c);
  return lines;
}

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

Json point_of(const Prediction& found) {
  return {{"samples_per_s", found.samples_per_s},
          {"consumer_wait", found.consumer_wait},
          {"data_readiness", found.data_readiness},
          {"total_bytes", found.total_bytes},
          {"regime", to_string(found.verdict.regime)}};
}

Json point(const Interval& interval, const advice::Workload& work, const Setting& setting) {
  try {
    const auto plan = advice::plan_with(interval.plan, setting, interval.plan.budget_bytes);
    if (setting_of(plan).max_queue_size != setting.max_queue_size) return nullptr;
    return point_of(predict(plan, work, interval.encoded_bytes));
  } catch (const Error& error) {
    if (error.code() == Errc::budget_too_small) return nullptr;
    throw;
  }
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
    auto& depth = depths.emplace_back(depth_json(plan, prediction.setting.max_queue_size));
    depth["predicted"] = to_json(prediction);
  }
  return depths;
}

Json depths_json(const Plan& plan, std::span<const std::uint32_t> depths) {
  Json out = Json::array();
  for (const auto depth : depths) out.push_back(depth_json(plan, depth));
  return out;
}

Json to_json(const Lever& lever) {
  const bool known = lever.basis != Basis::unknown;
  return {{"change", to_string(lever.change)},
          {"from", lever.from},
          {"to", lever.to},
          {"title", lever.title},
          {"basis", to_string(lever.basis)},
          {"gain", or_null(lever.gain)},
          {"bytes", known ? Json(lever.bytes) : Json(nullptr)},
          {"why", text_or_null(lever.why)},
          {"pays_from", lever.pays_from},
          {"flag", text_or_null(lever.flag)},
          {"code", text_or_null(lever.code)},
          {"sentence", lever.sentence},
          {"result", known ? to_json(lever.result) : Json(nullptr)}};
}

Json to_json(const Advice& advice) {
  Json caches = Json::array();
  for (const auto& cache : advice.cache)
    caches.push_back({{"keep", to_string(cache.keep)},
                      {"whole_bytes", cache.whole_bytes},
                      {"whole", to_json(cache.whole)},
                      {"bytes", cache.bytes},
                      {"share", cache.share},
                      {"to", to_json(cache.to)},
                      {"tiled", cache.tiled ? to_json(*cache.tiled) : Json(nullptr)}});
  Json levers = Json::array();
  for (const auto& lever : advice.levers) levers.push_back(to_json(lever));
  const auto& verdict = advice.verdict;
  return {{"verdict",
           {{"sentence", advice.sentence},
            {"regime", to_string(verdict.regime)},
            {"basis", to_string(advice.basis)},
            {"consumer_wait", verdict.consumer_wait},
            {"storage_wait", verdict.storage_wait},
            {"decode_wait", verdict.decode_wait},
            {"memory_wait", verdict.memory_wait},
            {"device_wait", verdict.device_wait},
            {"producer_wait", verdict.producer_wait},
            {"cpus_had", or_null(verdict.cpus_had)},
            {"cpus_wanted", or_null(verdict.cpus_wanted)},
            {"cpu_cause", text_or_null(verdict.cpu_cause)}}},
          {"headline", headline(advice)},
          {"now", to_json(advice.now)},
          {"levers", std::move(levers)},
          {"recommended", to_json(advice.recommended)},
          {"ceiling", to_json(advice.ceiling)},
          {"flags", advice.flags},
          {"code", advice.code},
          {"cache", std::move(caches)}};
}

std::string levers_text(const Advice& advice) {
  if (advice.levers.empty())
    return "What to change\n  Nothing: no setting is faster by 2 %, and none saves memory.\n";
  Table table("|gain|samples/s|MiB|<basis|<change");
  const auto& now = advice.now;
  table.add({"", "", fmt::format("{:.1f}", now.samples_per_s), mib_figure(now.total_bytes),
             std::string(to_string(Basis::predicted)), "now"});
  std::string pastes;
  int rank = 0;
  for (const auto& lever : advice.levers) {
    const bool known = lever.basis != Basis::unknown;
    const auto number = fmt::format("{}", ++rank);
    table.add({number, known ? fmt::format("x{:.2f}", *lever.gain) : "?",
               known ? fmt::format("{:.1f}", lever.result.samples_per_s) : "?",
               known ? mib_difference(lever.bytes) : "?", std::string(to_string(lever.basis)),
               lever.title});
    pastes += fmt::format("  {}  {}\n{}", number, lever.flag.empty() ? lever.title : lever.flag,
                          code_lines(lever.code));
    if (!lever.why.empty()) pastes += fmt::format("     {}.\n", lever.why);
  }
  return "What to change, by gain\n" + table.text() +
         "  Each change alone. gain: samples/s then over those now; MiB: typical bytes.\n"
         "  Of equal gains, the one with the fewest bytes is first; changes of pixels are last.\n\n"
         "How, on the command line and in C++\n" +
         pastes;
}

const Lever* best_lever(const Advice& advice) noexcept {
  const Lever* best = nullptr;
  for (const auto& lever : advice.levers)
    if (!lever.code.empty() && lever.basis != Basis::unknown &&
        (best == nullptr || (only_saves(*best, advice.now) && !only_saves(lever, advice.now))))
      best = &lever;
  return best;
}

std::string headline(const Advice& advice) {
  const auto& levers = advice.levers;
  const auto* const best = best_lever(advice);
  if (best != nullptr && !only_saves(*best, advice.now)) return "Best setting: " + best->sentence;
  const bool known = levers.empty() || levers.back().basis != Basis::unknown;
  const auto other = levers.empty() ? "" : " Outside of it: " + levers.front().sentence;
  return fmt::format("Nothing {}in the loader makes this faster.{}", known ? "" : "measured yet ",
                     best != nullptr ? ' ' + best->sentence : other);
}

std::string verdict_text(const Advice& advice) {
  auto text = advice.sentence;
  text.insert(text.size() - 1, fmt::format(" ({})", to_string(advice.basis)));
  return text + '\n' + headline(advice) + '\n';
}

std::string next_text(const Advice& advice, const std::string& command) {
  return '\n' + verdict_text(advice) + next_text(command);
}

std::string next_text(const std::string& command) { return "Next: " + command + '\n'; }

std::string interval_text(const Interval& interval, std::uint32_t read_ahead) {
  constexpr double shown_share = 0.1;
  const double own = interval.decode.count > 0 ? advice::own_s(interval) : 0;
  return fmt::format(
      "\nMeasured {} in {:.2f} s, {}{} on {}, read_ahead {}{}\n"
      "  a read          {}\n  a decode        {}\n{}  the consumer    {} a batch of {}\n",
      plural(interval.samples, counted(interval.plan) == "rows" ? "row" : "sample"),
      interval.seconds, fit_text(interval.plan), plural(interval.plan.workers, "worker"),
      plural(interval.cores, "core"), read_ahead,
      read_ahead == interval.plan.read_ahead
          ? ""
          : fmt::format(" (requested {}, which would have taken too long)",
                        interval.plan.read_ahead),
      times(interval.read), times(interval.decode),
      own < shown_share * interval.decode.mean_s
          ? ""
          : fmt::format("  hand-offs       {} a row and thread\n", duration(own)),
      times(interval.consumer), interval.plan.batch);
}

Json setting_grid(const Interval& interval, const Advice& advice) {
  const auto &now = advice.now.setting, &to = advice.recommended.setting;
  const auto queues = axis(1, 16, {now.max_queue_size, to.max_queue_size});
  const auto workers = axis(1, interval.cores, {now.workers, to.workers});
  const auto most_reads =
      std::max({now.read_ahead, to.read_ahead, advice.ceiling.setting.read_ahead});
  const auto reads = most_reads == 0 ? std::vector<std::uint32_t>{0}
                                     : axis(0, 64, {now.read_ahead, to.read_ahead});
  // Without a consumer: the times in which the loader makes a batch.
  const double own = interval.consumer.mean_s;
  const double batch = now.batch / std::max(advice.ceiling.samples_per_s, 1e-9);
  const double base = own > 0.05 * batch ? own : batch;
  std::set<double> times{own, base / 2, base, 2 * base};
  constexpr std::uint64_t shorter = 4;
  std::vector<advice::Workload> works;
  for (const auto seconds : times) {
    const double scale = own > 0 ? seconds / own : 0;
    auto other = interval;
    other.consumer = {interval.consumer.count, seconds, interval.consumer.deviation_s * scale};
    works.push_back(advice::workload_of(other, now.batch, 0));
    works.back().batches = std::max<std::uint64_t>(works.back().batches / shorter, 64);
  }
  auto points = Json::array();
  const auto measured = static_cast<std::size_t>(std::distance(times.begin(), times.find(own)));
  std::size_t now_at = 0;
  for (const auto queue : queues)
    for (const auto count : workers)
      for (const auto ahead : reads) {
        const Setting setting{queue, count, ahead, now.batch};
        if (setting == now) now_at = points.size() + measured;
        for (const auto& work : works) points.push_back(point(interval, work, setting));
      }
  points[now_at] = point_of(advice.now);
  return {{"max_queue_size", queues}, {"workers", workers}, {"read_ahead", reads},
          {"consumer_s", times},      {"now", now_at},      {"points", std::move(points)}};
}

}  // namespace weir::report
