#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "cli/attempts.hpp"
#include "cli/commands.hpp"
#include "cli/consumer.hpp"
#include "cli/data.hpp"
#include "cli/determinism.hpp"
#include "cli/digest.hpp"
#include "cli/messages.hpp"
#include "cli/metrics_server.hpp"
#include "cli/monitor.hpp"
#include "cli/progress.hpp"
#include "cli/side_by_side.hpp"
#include "cli/soak.hpp"
#include "cli/survey.hpp"
#include "report/bytes.hpp"
#include "report/json.hpp"
#include "report/process.hpp"
#include "report/stats_text.hpp"
#include "report/table.hpp"
#include "report/text.hpp"
#include "weir/counting.hpp"

namespace weir::cli {
namespace {

constexpr auto stall_limit = std::chrono::seconds(60);

/// The results of a soak for one loader.
struct SubjectFindings {
  std::string data;
  report::Run run;
  std::array<LawFigures, law_count> laws;
  std::uint64_t breaches = 0;
  Monitor::Ticks ticks;
  std::uint64_t files = 0, attempted = 0, reads = 0;
  Determinism determinism;
  SideBySide ranks;
};

/// One loader in a soak, with its data, its laws and the counts outside its ledger. soak() of several
/// subjects may run at the same time. All other functions are for one thread.
class Subject {
 public:
  /// Opens the data of `settings`, and measures what a Loader would measure. If `ledger` is
  /// null, the loader has its own ledger. `interrupt` must outlive this.
  Subject(Settings settings, std::shared_ptr<MemoryLedger> ledger, const Interrupt& interrupt)
      : interrupt_(interrupt), source_(open_undelayed(settings, interrupt.token())) {
    settings.options.memory.ledger = std::move(ledger);
    // The reads of this measurement do not count, because they are not reads of the stream.
    settings_ = surveyed(std::move(settings), source_, interrupt.token());
    options_ = settings_.options;
    options_.memory.upstream = upstream_;
    found_.data = settings_.data;
    found_.run.budget_how = settings_.budget_how;
    found_.run.sample_how = settings_.sample_how;
    attempts_ = std::make_shared<Attempts>(source_.size());
  }

  /// Constructs the loader. Throws the errors of its constructor.
  void open() {
    loader_.emplace(Watched{delayed(source_, settings_, interrupt_.token()), attempts_}, options_);
    delivered_.emplace(*loader_, settings_);
  }
  const Loader& loader() const { return *loader_; }
  /// Drains a stream with all checks. An error of the stream is stored in Run::error.
  void soak() {
    auto& loader = *loader_;
    const MetricsServer::Showing shown(settings_.metrics.get(), loader);
    std::stop_source stop;
    const std::stop_callback stop_too(interrupt_.token(), [&stop] { stop.request_stop(); });
    Recount recount;
    const Progress progress(settings_, loader, "verify");
    auto stream = loader.stream({.epochs = settings_.stream_epochs(), .stop = stop.get_token()});
    Monitor monitor(loader, *upstream_, recount, book_, stop, stall_limit);
    Consumer consumer(settings_, stop.get_token());
    Soak soak(loader, stream, recount, book_);
    std::optional<Digest> digest;
    if (settings_.digest) digest.emplace();
    try {
      soak.drain(consumer, settings_.steps, [&](const Batch& batch) {
        if (digest) digest->add(batch);
        delivered_->note(batch);
      });
      if (settings_.settle && !interrupt_.raised()) stream.settle();
    } catch (const std::exception& e) {
      found_.run.error = reason_of(e, settings_);
    }
    if (digest) found_.run.digest = std::move(*digest).hex();
    found_.ticks = monitor.stop();
    check_at_rest(soak.rows(RowStatus::replaced));
  }
  /// Destroys the loader.
  void close() {
    loader_.reset();
    found_.run.interrupted = interrupt_.raised();
    book_.check(Law::held, upstream_->live() == 0, "{} bytes of slabs outlived loader and batches",
                upstream_->live());
  }
  /// Call it after close(). Checks the number of reads, compares a second pass, and returns all
  /// results.
  SubjectFindings verdict() {
    if (ran_to_the_end() && !settings_.steps && !options_.drop_last)
      check_attempts(*attempts_, options_, settings_.stream_epochs().value_or(1),
                     found_.run.figures, book_);
    if (delivered_)
      found_.determinism =
          compare(source_, settings_, options_, found_.run.figures, *delivered_, interrupt_, book_);
    found_.ranks =
        compare_ranks(source_, settings_, options_, found_.run.figures, interrupt_, book_);
    found_.laws = book_.figures();
    found_.breaches = book_.breaches();
    found_.files = attempts_->size();
    found_.attempted = attempts_->read_at_least(1);
    found_.reads = attempts_->total();
    return found_;
  }
  LawBook& book() noexcept { return book_; }

 private:
  void check_at_rest(std::uint64_t replaced_seen) {
    found_.run.figures = loader_->report();
    const auto& memory = found_.run.figures.memory;
    const auto cached = memory[Account::cache];
    const auto staging = report::staging_bytes(memory.accounts);
    book_.check(
        Law::bound, upstream_->live() == staging + cached,
        "{} bytes of slabs and cache allocated, {} and {} on the books, with nothing running",
        upstream_->live(), staging, cached);
    const auto replaced = found_.run.figures.samples.replaced;
    book_.check(Law::conservation, replaced >= replaced_seen, "replaced is {}, the consumer saw {}",
                replaced, replaced_seen);
  }
  bool ran_to_the_end() const { return found_.run.error.empty() && !interrupt_.raised(); }

  Settings settings_;
  const Interrupt& interrupt_;
  const std::shared_ptr<CountingResource> upstream_ = std::make_shared<CountingResource>();
  Options options_;
  AnySource source_;  ///< without counting and delay
  std::shared_ptr<Attempts> attempts_;
  std::optional<Loader> loader_;
  std::optional<Delivered> delivered_;
  LawBook book_;
  SubjectFindings found_;
};

/// Figures of the ledger that two loaders share.
struct SharedBudget {
  std::uint64_t budget = 0, peak = 0, promised = 0;
};

struct AllFindings {
  std::vector<SubjectFindings> verdicts;  ///< of DATA, then of --beside
  std::optional<SharedBudget> shared;
  std::vector<ChecksumFindings> checksums;  ///< of tar shards

  std::uint64_t breaches() const {
    return std::accumulate(
        verdicts.begin(), verdicts.end(), std::uint64_t{0},
        [](std::uint64_t sum, const SubjectFindings& verdict) { return sum + verdict.breaches; });
  }
};

/// The laws that this verify checks: Law::ranks, the last one, needs --world.
std::size_t checked_laws(const SubjectFindings& verdict) {
  return verdict.ranks.world > 1 ? law_count : law_count - 1;
}

report::Json to_json(const SubjectFindings& verdict) {
  auto json = report::envelope("verify");
  report::put_run(json, verdict.run);
  json["data"] = verdict.data;
  auto laws = report::Json::array();
  for (std::size_t i = 0; i < checked_laws(verdict); ++i) {
    const auto& law = verdict.laws[i];
    laws.push_back({{"law", to_string(static_cast<Law>(i))},
                    {"checks", law.checks},
                    {"breaches", law.breaches},
                    {"first_breach", report::text_or_null(law.first_breach)}});
  }
  const auto& determinism = verdict.determinism;
  json["verify"] = {{"breaches", verdict.breaches},
                    {"ticks", verdict.ticks.count},
                    {"ticking_s", verdict.ticks.seconds},
                    {"laws", std::move(laws)},
                    {"files", verdict.files},
                    {"attempted", verdict.attempted},
                    {"reads", verdict.reads},
                    {"ranks",
                     {{"world", verdict.ranks.world},
                      {"steps", verdict.ranks.steps},
                      {"padding_rows", verdict.ranks.padding},
                      {"skipped", report::text_or_null(verdict.ranks.skipped)}}},
                    {"determinism",
                     {{"batches", determinism.compared},
                      {"skipped", report::text_or_null(determinism.skipped)}}}};
  return json;
}

report::Json to_json(const AllFindings& findings) {
  auto json = to_json(findings.verdicts.front());
  json["beside"] = json["shared"] = nullptr;
  json["checksums"] = to_json(findings.checksums.front());
  if (!findings.shared) return json;
  json["beside"] = to_json(findings.verdicts.back());
  json["beside"]["checksums"] = to_json(findings.checksums.back());
  json["shared"] = {{"budget_bytes", report::bound_json(findings.shared->budget)},
                    {"peak", findings.shared->peak},
                    {"promised_bytes", findings.shared->promised},
                    {"breaches", findings.breaches()}};
  return json;
}

std::string waits_text(const report::Run& run) {
  const auto& wait = run.figures.stages[static_cast<std::size_t>(Stage::wait)];
  const auto& memory_wait = run.figures.queue.workers.memory_wait_s;
  if (wait.count == 0 && memory_wait == 0) return {};
  return fmt::format("{} samples waited for bytes; the budget held workers up for {:.2f} s\n",
                     report::grouped(wait.count), memory_wait);
}

std::string determinism_text(const Determinism& determinism) {
  if (!determinism.skipped.empty())
    return fmt::format("determinism was not checked: {}\n", determinism.skipped);
  return fmt::format(
      "{} batches were delivered once more, by a loader with other workers, queue and budget\n",
      report::grouped(determinism.compared));
}

std::string ranks_text(const SideBySide& ranks) {
  if (ranks.world == 1) return {};
  if (!ranks.skipped.empty())
    return fmt::format("{} ranks were not compared: {}\n", ranks.world, ranks.skipped);
  return fmt::format("{} ranks delivered {} side by side, with {}\n", ranks.world,
                     report::plural(ranks.steps, "step"),
                     report::plural(ranks.padding, "padding row"));
}

std::string to_text(const SubjectFindings& verdict) {
  using report::Table, report::grouped;
  Table laws("<Law|checks|breaches|<", 0);
  for (std::size_t i = 0; i < checked_laws(verdict); ++i) {
    const auto& law = verdict.laws[i];
    laws.add({fmt::format("  {}", to_string(static_cast<Law>(i))), grouped(law.checks),
              grouped(law.breaches), law.first_breach});
  }
  const auto& figures = verdict.run.figures;
  const auto rate = verdict.ticks.seconds > 0
                        ? static_cast<double>(verdict.ticks.count) / verdict.ticks.seconds
                        : 0;
  auto out = report::samples_text(figures.samples, report::common_values(figures.plan)) +
             report::cache_text(figures);
  if (const auto faults = report::faults_text(figures.faults, figures.fault_count); !faults.empty())
    out += '\n' + faults;
  out += fmt::format(
      "\n{}\n{} ticks in {:.1f} s ({:.0f} a second); {} of {} files attempted in {} reads\n",
      laws.text(), grouped(verdict.ticks.count), verdict.ticks.seconds, rate,
      grouped(verdict.attempted), grouped(verdict.files), grouped(verdict.reads));
  return out + waits_text(verdict.run) + determinism_text(verdict.determinism) +
         ranks_text(verdict.ranks);
}

std::string to_text(const AllFindings& findings) {
  std::string out;
  for (const auto& checksums : findings.checksums) out += to_text(checksums);
  if (!out.empty()) out += '\n';
  for (const auto& verdict : findings.verdicts) {
    if (findings.shared) out += fmt::format("{}\n\n", verdict.data);
    out += to_text(verdict) + (findings.shared ? "\n" : "");
  }
  if (const auto& shared = findings.shared)
    out += fmt::format("One budget{}: {} live at the most, {} reserved for both\n",
                       shared->budget == UINT64_MAX ? std::string(" without a bound")
                                                    : " of " + report::human_bytes(shared->budget),
                       report::human_bytes(shared->peak), report::human_bytes(shared->promised));
  const auto breaches = findings.breaches();
  return out + (breaches == 0 ? "No breach.\n"
                              : fmt::format("{} BREACHES.\n", report::grouped(breaches)));
}

std::vector<Settings> settings_of_each(const Settings& settings) {
  std::vector<Settings> all{settings};
  if (settings.beside.empty()) return all;
  auto second = settings;
  second.data = settings.beside;
  second.words = {settings.beside};
  // Only DATA has a progress line and metrics: there is one line, and a scrape shows one loader.
  second.quiet = true;
  second.metrics.reset();
  all.push_back(std::move(second));
  return all;
}

/// Runs all soaks at the same time, each in its own thread.
void soak(std::vector<std::unique_ptr<Subject>>& subjects) {
  std::vector<std::exception_ptr> failed(subjects.size());
  const auto soak_one = [&](std::size_t i) noexcept {
    try {
      subjects[i]->soak();
    } catch (...) {
      failed[i] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < subjects.size(); ++i) others.emplace_back(soak_one, i);
    soak_one(0);
  }
  for (const auto& failure : failed)
    if (failure) std::rethrow_exception(failure);
}

/// Call it after the soaks, while the loaders still exist.
SharedBudget check_shared(const MemoryLedger& ledger,
                          const std::vector<std::unique_ptr<Subject>>& subjects) {
  const auto now = ledger.snapshot();
  std::uint64_t live = 0;
  for (const auto& subject : subjects) live += subject->loader().snapshot().memory.live;
  auto& book = subjects.front()->book();
  book.check(Law::sum, live == now.live,
             "{} bytes live in all loaders, {} in the ledger they share", live, now.live);
  const auto budget = now.budget.value_or(UINT64_MAX);
  book.check(Law::bound, now.peak <= budget, "{} bytes were live in a shared budget of {}",
             now.peak, budget);
  return {budget, now.peak, ledger.promised()};
}

}  // namespace

int verify_command(const Settings& settings, const Interrupt& interrupt) {
  const auto ledger = settings.beside.empty()
                          ? nullptr
                          : std::make_shared<MemoryLedger>(settings.options.memory.budget_bytes);
  std::vector<std::unique_ptr<Subject>> subjects;
  AllFindings findings;
  for (auto& one : settings_of_each(settings)) {
    findings.checksums.push_back(compare_checksums(one, interrupt.token()));
    subjects.push_back(std::make_unique<Subject>(std::move(one), ledger, interrupt));
  }

  report::ProcessSampler process;
  const auto process_before = process.before();
  for (auto& subject : subjects) subject->open();
  soak(subjects);
  if (ledger) findings.shared = check_shared(*ledger, subjects);
  for (auto& subject : subjects) subject->close();
  const auto process_peak = process.stop();
  if (ledger)
    subjects.front()->book().check(Law::held, ledger->snapshot().live == 0,
                                   "{} bytes on the books outlived all loaders",
                                   ledger->snapshot().live);

  int worst = done_exit;
  for (auto& subject : subjects) {
    auto verdict = subject->verdict();
    verdict.run.process_before = process_before;
    verdict.run.process_peak = process_peak;
    worst = std::max(worst, exit_code(verdict.run));
    findings.verdicts.push_back(std::move(verdict));
  }
  emit(settings, to_json(findings), to_text(findings));
  for (const auto& verdict : findings.verdicts)
    say_error(settings, verdict.run.error, verdict.run.figures.fault_count);
  return findings.breaches() > 0 || any_wrong(findings.checksums) ? failed_exit : worst;
}

}  // namespace weir::cli
