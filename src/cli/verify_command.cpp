#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/sanitize.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/drive.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/second_delivery.hpp"
#include "report/bytes.hpp"
#include "report/json.hpp"
#include "report/stats_text.hpp"
#include "report/table.hpp"
#include "report/text.hpp"
#ifdef WEIR_SHARDS
#include "shards/make_index.hpp"
#endif

namespace weir::cli {
namespace {

/// A statement that holds whenever the consumer has taken a batch.
struct Law {
  std::string_view name;
  std::uint64_t checks = 0, breaches = 0;
  std::string first_breach{};  ///< the expected and the observed values
};

/// The laws of a stream, in the order of their first checks. One thread.
class Laws {
 public:
  /// After each batch.
  void check(const Taken& now) {
    const auto snapshot = now.loader.snapshot();
    check_memory(snapshot.memory);
    check_held(now, snapshot);
    const auto& plan = now.loader.plan();
    const auto& samples = snapshot.samples;
    check("conservation", samples.conserved() && samples.consumed + samples.leased == rows_,
          "{} consumed and {} leased of {} that were taken", samples.consumed, samples.leased,
          rows_);
    check("partners", samples.has_partners(plan.partners),
          "{} partners of {} rows in the queue or taken, with {} each", samples.partners,
          samples.produced(), plan.partners);
    check("queue",
          snapshot.filling + snapshot.ready <= plan.max_queue_size &&
              snapshot.leased <= plan.max_leases,
          "{} filling, {} ready, {} leased; max_queue_size {}, max_leases {}", snapshot.filling,
          snapshot.ready, snapshot.leased, plan.max_queue_size, plan.max_leases);
  }
  /// If the consumer was not interrupted, all it took is finished.
  void check_resume(const Taken& now) {
    check("resume", now.stream.progress_of_all() == now.loader.progress_after(taken_),
          "progress is {} after {} batches", now.stream.progress().to_json(), taken_);
  }
  template <class... T>
  void check(std::string_view name, bool holds, fmt::format_string<T...> breach, T&&... seen) {
    count(name, holds ? 0 : 1, 1, holds ? "" : fmt::format(breach, std::forward<T>(seen)...));
  }
  void count(std::string_view name, std::uint64_t breaches, std::uint64_t checks,
             const std::string& first_breach) {
    auto law = std::ranges::find(laws_, name, &Law::name);
    if (law == laws_.end()) law = laws_.insert(laws_.end(), {name});
    law->checks += checks;
    law->breaches += breaches;
    if (law->first_breach.empty()) law->first_breach = first_breach;
  }

  const std::vector<Law>& all() const noexcept { return laws_; }
  std::uint64_t breaches() const {
    return std::accumulate(laws_.begin(), laws_.end(), std::uint64_t{0},
                           [](auto sum, const Law& law) { return sum + law.breaches; });
  }

 private:
  void check_memory(const MemorySnapshot& memory) {
    const auto total = [](const AccountBytes& accounts) {
      return std::accumulate(accounts.begin(), accounts.end(), std::uint64_t{0});
    };
    check("sum", total(memory.accounts) == memory.live, "accounts add up to {}, live is {}",
          total(memory.accounts), memory.live);
    const auto budget = memory.budget.value_or(UINT64_MAX);
    check("bound", memory.live <= budget, "{} live, budget {}", memory.live, budget);
    check("peak", memory.peak >= memory.live && total(memory.accounts_at_peak) == memory.peak,
          "peak {} with {} live and {} in its parts", memory.peak, memory.live,
          total(memory.accounts_at_peak));
  }
  // Only this thread takes and releases leases, so the comparison is exact.
  void check_held(const Taken& now, const Snapshot& snapshot) {
    const auto& last = now.held.back();
    check("order", last.sequence() == taken_, "batch {} was delivered as number {}",
          last.sequence(), taken_);
    ++taken_;
    rows_ += static_cast<std::uint64_t>(std::ranges::count_if(last.statuses(), [](auto status) {
      return status != RowStatus::blank && status != RowStatus::padding;
    }));
    std::uint64_t bytes = 0;
    for (const auto& batch : now.held) bytes += batch.bytes_held();
    check("held", snapshot.leased == now.held.size() && snapshot.memory[Account::leased] == bytes,
          "leased is {} batches, {} bytes; held are {}, {}", snapshot.leased,
          snapshot.memory[Account::leased], now.held.size(), bytes);
  }

  std::vector<Law> laws_;
  std::uint64_t taken_ = 0, rows_ = 0;  ///< batches, and their rows that are samples
};

/// The result of a comparison with the checksums of an index.
struct ChecksumFindings {
  std::uint64_t shards = 0, samples = 0;
  std::vector<std::string> wrong{};  ///< one line for each sample or shard that differs
};

report::Json to_json(const ChecksumFindings& found) {
  return {{"shards", found.shards}, {"samples", found.samples}, {"wrong", found.wrong}};
}

std::string to_text(const ChecksumFindings& findings) {
  constexpr std::size_t most_lines = 20;
  const auto wrong = findings.wrong.size();
  auto text = fmt::format("checksums of {} in {}: {}\n", report::plural(findings.samples, "sample"),
                          report::plural(findings.shards, "shard"),
                          wrong == 0 ? "all are right" : report::grouped(wrong) + " differ");
  for (std::size_t i = 0; i < std::min(wrong, most_lines); ++i)
    text += "  " + findings.wrong[i] + '\n';
  return text + (wrong > most_lines ? "  …\n" : "");
}

/// Reads all shards and compares them with their index. Empty if DATA is no shards, and, with a hint, if there
/// is no index.
#ifdef WEIR_SHARDS
std::optional<ChecksumFindings> compare_checksums(const Settings& settings,
                                                  const std::stop_token& stop) {
  if (!data::are_shards(settings.paths())) return {};
  const auto opened = data::open_tars(settings.paths(), how_to_open(settings, stop));
  if (!opened.has_checksums()) {
    hint(settings, "without index.weir there are no checksums to verify; `weir index` makes it");
    return {};
  }
  std::atomic<std::uint64_t> done{0};
  const Progress progress(settings, [&] {
    return fmt::format("verify: {} of the shards read", report::human_bytes(done.load()));
  });
  const auto& index = opened.index();
  ChecksumFindings findings{index.shards.size(), index.samples.size()};
  const auto wrong = shards::wrong_checksums(
      opened, {.limits = settings.options.limits, .stop = stop, .done = &done});
  for (const auto& [shard, sample] : wrong) {
    const auto name = sanitize(index.shards[shard].name);
    findings.wrong.push_back(
        sample ? fmt::format("{}: the checksum of sample {} differs, {} at byte {}",
                             sanitize(opened.name(*sample)), *sample,
                             report::human_bytes(index.samples[*sample].bytes),
                             index.samples[*sample].offset)
               : name + ": its checksum differs, outside of the samples");
  }
  return findings;
}
#else
std::optional<ChecksumFindings> compare_checksums(const Settings&, const std::stop_token&) {
  return {};
}
#endif

struct Verified {
  report::Run run;
  Laws laws;
  SecondDelivery second;
  std::uint32_t world = 1;
  std::optional<ChecksumFindings> checksums;  ///< of tar shards
};

report::Json to_json(const Verified& found) {
  auto laws = report::Json::array();
  for (const auto& law : found.laws.all())
    laws.push_back({{"law", law.name},
                    {"checks", law.checks},
                    {"breaches", law.breaches},
                    {"first_breach", report::text_or_null(law.first_breach)}});
  return {{"breaches", found.laws.breaches()},
          {"laws", std::move(laws)},
          {"determinism",
           {{"batches", found.second.compared},
            {"ranks", found.world},
            {"skipped", report::text_or_null(found.second.skipped)}}}};
}

std::string second_text(const Verified& found) {
  if (!found.second.skipped.empty())
    return fmt::format("determinism was not checked: {}\n", found.second.skipped);
  const auto batches = report::grouped(found.second.compared);
  return found.world == 1
             ? fmt::format(
                   "{} batches were delivered once more, by a loader with other workers, "
                   "queue and budget\n",
                   batches)
             : fmt::format("{} batches were delivered once more, by {} ranks side by side\n",
                           batches, found.world);
}

std::string to_text(const Verified& found) {
  using report::grouped;
  report::Table laws("<Law|checks|breaches|<", 0);
  for (const auto& law : found.laws.all())
    laws.add({fmt::format("  {}", law.name), grouped(law.checks), grouped(law.breaches),
              law.first_breach});
  const auto& figures = found.run.figures;
  auto out = found.checksums ? to_text(*found.checksums) + '\n' : std::string();
  out += report::samples_text(figures.samples, report::common_values(figures.plan),
                              figures.plan.partners) +
         report::cache_text(figures);
  if (const auto faults = report::faults_text(figures.faults, figures.fault_count); !faults.empty())
    out += '\n' + faults;
  out += '\n' + laws.text() + '\n';
  const auto waits = figures.stages[static_cast<std::size_t>(Stage::wait)].count;
  const auto memory_wait = figures.queue.workers.memory_wait_s;
  if (waits > 0 || memory_wait > 0)
    out += fmt::format("{} samples waited for bytes; the budget held workers up for {:.2f} s\n",
                       grouped(waits), memory_wait);
  const auto breaches = found.laws.breaches();
  return out + second_text(found) +
         (breaches == 0 ? "No breach.\n" : fmt::format("{} BREACHES.\n", grouped(breaches)));
}

/// --world: one process delivers what all ranks deliver, with the memory of all.
Settings for_all_ranks(Settings settings) {
  const std::uint64_t world = settings.world.value_or(1);
  auto& options = settings.options;
  options.batch =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(options.batch * world, UINT32_MAX));
  auto &budget = options.memory.budget_bytes, &queue = options.queue.max_bytes;
  // That of auto is a share of the machine's memory.
  if (budget && settings.budget_how.empty()) budget = mul_sat(*budget, world);
  if (queue) queue = mul_sat(*queue, world);
  return settings;
}

}  // namespace

int verify_command(const Settings& settings, const Interrupt& interrupt) {
  Verified found;
  found.world = settings.world.value_or(1);
  found.checksums = compare_checksums(settings, interrupt.token());
  const auto source = open_undelayed(settings, interrupt.token());
  const auto known = surveyed(for_all_ranks(settings), source, interrupt.token());
  std::optional<Delivered> delivered;
  found.run = drive(delayed(source, known, interrupt.token()), known, interrupt, "verify",
                    [&](const Taken& now) {
                      if (!delivered) delivered.emplace(now.loader, known);
                      delivered->note(now.held.back());
                      found.laws.check(now);
                      if (!interrupt.raised()) found.laws.check_resume(now);
                      return true;
                    });
  if (delivered)
    found.second =
        deliver_again(source, known, known.options, found.run.figures, *delivered, interrupt);
  else
    found.second.skipped = "no batch was delivered";
  const auto& second = found.second;
  if (second.skipped.empty())
    found.laws.count(found.world == 1 ? "determinism" : "ranks", second.compared - second.same,
                     second.compared, second.difference);

  auto json = report::envelope("verify");
  report::put_run(json, found.run);
  json["data"] = settings.data;
  json["verify"] = to_json(found);
  json["checksums"] = found.checksums ? to_json(*found.checksums) : report::Json();
  emit(settings, json, to_text(found));
  say_error(settings, found.run.error, found.run.figures.fault_count);
  const bool damaged = found.checksums && !found.checksums->wrong.empty();
  return found.laws.breaches() > 0 || damaged ? failed_exit : exit_code(found.run);
}

}  // namespace weir::cli
