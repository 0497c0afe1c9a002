#include "report/stats_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advice/cpu_share.hpp"
#include "base/text.hpp"
#include "report/bytes.hpp"
#include "report/fields.hpp"
#include "report/table.hpp"
#include "weir/advice.hpp"

namespace weir::report {
namespace {

std::string workers_text(const WorkerTime& time) {
  double all = 0;
  for (const auto& field : worker_fields) all += time.*field.value;
  if (all <= 0) return "";
  std::string out = "  workers:";
  for (const auto& field : worker_fields)
    out += fmt::format(" {} {},", field.text, percent(time.*field.value / all));
  out.back() = '\n';
  return out;
}

/// The workers' CPU time, and what was withheld from all threads of the process.
std::string cpu_lines(const QueueStats& queue) {
  const auto& cpu = queue.cpu;
  if (!cpu.cpus) return "";
  auto out = fmt::format("  CPU time of the workers: {} of {} at work", duration(cpu.workers_s),
                         duration(queue.workers.read_s + queue.workers.decode_s));
  if (cpu.wait_s) out += fmt::format("; {} of waiting for a CPU", duration(*cpu.wait_s));
  out += '\n';
  std::string withheld;
  if (cpu.throttle_s.value_or(0) > 0)
    withheld +=
        fmt::format(" {} by a CPU limit{},", duration(*cpu.throttle_s),
                    cpu.limit ? " of " + advice::cpus_text(*cpu.limit) + " CPUs" : std::string());
  if (cpu.steal_s.value_or(0) > 0)
    withheld += fmt::format(" {} by the host (steal),", duration(*cpu.steal_s));
  if (withheld.empty()) return out;
  withheld.back() = '\n';
  return out + "  CPU time withheld:" + withheld;
}

std::string consumer_text(const Timing& timing) {
  const auto consumer = service(timing);
  if (consumer.count == 0) return "";
  return fmt::format("  the consumer took {} a batch (standard deviation {})\n",
                     duration(consumer.mean_s), duration(consumer.deviation_s));
}

}  // namespace

std::string duration(double seconds) {
  // Less than what is rounded to the next unit.
  if (seconds < 999.5e-6) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 999.95e-3) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string signed_percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun,
                     count == 1             ? ""
                     : noun.ends_with("ch") ? "es"
                                            : "s");
}

std::string regime_text(const Report& figures) {
  if (!figures.regime) return "";
  return fmt::format("Regime {}\n  {}\n", *figures.regime, judge(figures.queue).why);
}

std::string queue_text(const QueueStats& queue) {
  const auto ready = queue.batches == 0 ? std::string("no batch was delivered")
                                        : "data readiness " + percent(queue.data_readiness);
  auto out = fmt::format(
      "\nQueue\n  {}; the consumer waited {}, the workers {}\n"
      "  by cause: storage {}, decode {}, memory {}{}\n",
      ready, duration(queue.consumer_wait_s), duration(queue.producer_wait_s),
      duration(queue.storage_wait_s), duration(queue.decode_wait_s), duration(queue.memory_wait_s),
      queue.device_wait_s > 0 ? ", device " + duration(queue.device_wait_s) : std::string());
  out += workers_text(queue.workers) + cpu_lines(queue) + consumer_text(queue.consumer);
  constexpr std::size_t most_rows = 9, bar_width = 40;
  const auto levels = queue.occupancy.size();
  const auto group = (levels + most_rows - 1) / most_rows;
  Table table("||<");
  for (std::size_t first = 0; first < levels; first += group) {
    const auto last = std::min(first + group, levels) - 1;
    double share = 0;
    for (auto level = first; level <= last; ++level) share += queue.occupancy[level];
    std::string bar;
    for (auto n = std::lround(std::clamp(share, 0.0, 1.0) * bar_width); n > 0; --n) bar += "█";
    const auto label = first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
    table.add({label + " ready", percent(share), bar});
  }
  return out + table.text();
}

std::string stages_text(std::span<const StageStats> stages) {
  Table table("<Stages|count|busy|mean|p50|p90|p99|bytes", 0);
  for (const auto& stage : stages) {
    if (stage.count == 0) continue;
    const auto quantile = [&stage](double share) {
      const auto us = stage.quantile_us(share);
      return us ? duration(*us * 1e-6) : std::string("-");
    };
    table.add({fmt::format("  {}", to_string(stage.stage)), grouped(stage.count),
               duration(stage.busy_s), duration(stage.busy_s / static_cast<double>(stage.count)),
               quantile(0.5), quantile(0.9), quantile(0.99), human_bytes(stage.bytes)});
  }
  return table.empty() ? "" : '\n' + table.text();
}

std::string cost_text(std::string_view whose, std::string_view events, const AccountingCost& cost) {
  if (cost.event_ns == 0) return "";
  return fmt::format("  {}: {:.1f} {} a sample x {:.0f} ns = {:.2f} us, {:.3f} % of its CPU time\n",
                     whose, cost.events_per_sample, events, cost.event_ns,
                     cost.ns_per_sample * 1e-3, 100 * cost.share_of_cpu);
}

}  // namespace weir::report
