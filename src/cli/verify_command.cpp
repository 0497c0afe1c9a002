#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/attempts.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/metrics_server.hpp"
#include "cli/monitor.hpp"
#include "cli/progress.hpp"
#include "cli/say.hpp"
#include "cli/soak.hpp"
#include "report/bytes.hpp"
#include "report/json.hpp"
#include "report/process.hpp"
#include "report/table.hpp"
#include "report/text.hpp"
#include "weir/counting.hpp"

namespace weir::cli {
namespace {

constexpr auto stall_limit = std::chrono::seconds(60);

struct Verdict {
  report::Run run;
  std::array<LawFigures, law_count> laws;
  std::uint64_t breaches = 0;
  Monitor::Ticks ticks;
  std::uint64_t files = 0, attempted = 0, reads = 0;
  std::array<std::uint64_t, 4> rows{};
};

report::Json to_json(const Verdict& verdict) {
  auto json = report::envelope("verify");
  report::put_run(json, verdict.run);
  auto laws = report::Json::array();
  for (std::size_t i = 0; i < law_count; ++i) {
    const auto& law = verdict.laws[i];
    laws.push_back({{"law", to_string(static_cast<Law>(i))},
                    {"checks", law.checks},
                    {"breaches", law.breaches},
                    {"first_breach", law.first_breach.empty() ? report::Json(nullptr)
                                                              : report::Json(law.first_breach)}});
  }
  json["verify"] = {{"breaches", verdict.breaches},
                    {"ticks", verdict.ticks.count},
                    {"ticking_s", verdict.ticks.seconds},
                    {"laws", std::move(laws)},
                    {"files", verdict.files},
                    {"attempted", verdict.attempted},
                    {"reads", verdict.reads}};
  return json;
}

std::string to_text(const Verdict& verdict) {
  using report::Table, report::grouped;
  Table laws({{"Law", Table::Align::left}, {"checks"}, {"breaches"}, {"", Table::Align::left}}, 0);
  for (std::size_t i = 0; i < law_count; ++i) {
    const auto& law = verdict.laws[i];
    laws.add({fmt::format("  {}", to_string(static_cast<Law>(i))), grouped(law.checks),
              grouped(law.breaches), law.first_breach});
  }
  const auto& figures = verdict.run.figures;
  const auto rate = verdict.ticks.seconds > 0
                        ? static_cast<double>(verdict.ticks.count) / verdict.ticks.seconds
                        : 0;
  auto out = report::samples_text(figures.samples, report::common_shape(figures.plan)) +
             report::cache_text(figures);
  if (const auto faults = report::faults_text(figures.faults, figures.fault_count); !faults.empty())
    out += '\n' + faults;
  out += fmt::format(
      "\n{}\n{} ticks in {:.1f} s ({:.0f} a second); {} of {} files attempted in {} reads\n{}\n",
      laws.text(), grouped(verdict.ticks.count), verdict.ticks.seconds, rate,
      grouped(verdict.attempted), grouped(verdict.files), grouped(verdict.reads),
      verdict.breaches == 0 ? "No breach."
                            : fmt::format("{} BREACHES.", grouped(verdict.breaches)));
  return out;
}

void soak(Loader& loader, const Settings& settings, const Interrupt& interrupt,
          const CountingResource& upstream, LawBook& book, Verdict& verdict) {
  std::stop_source stop;
  const std::stop_callback stop_too(interrupt.token(), [&stop] { stop.request_stop(); });
  Recount recount;
  const Progress progress(settings, loader, "verify");
  auto stream =
      loader.stream({.from = {}, .epochs = settings.stream_epochs(), .stop = stop.get_token()});
  Monitor monitor(loader, upstream, recount, book, stop, stall_limit);
  Consumer consumer(settings, stop.get_token());
  Soak soak(loader, stream, recount, book);
  std::optional<Digest> digest;
  if (settings.digest) digest.emplace();
  try {
    soak.drain(consumer, settings.steps, digest ? &*digest : nullptr);
    if (settings.settle && !interrupt.raised()) stream.settle();
  } catch (const std::exception& e) {
    verdict.run.error = e.what();
  }
  if (digest) verdict.run.digest = std::move(*digest).hex();
  verdict.ticks = monitor.stop();
  verdict.run.figures = loader.report();
  const auto& memory = verdict.run.figures.memory;
  const auto cached = memory[Account::cache];
  book.check(Law::bound, upstream.live() == report::staging_bytes(memory.accounts) + cached, [&] {
    return fmt::format(
        "{} bytes of slabs and cache allocated, {} and {} on the books, with nothing running",
        upstream.live(), report::staging_bytes(memory.accounts), cached);
  });
  book.check(Law::conservation,
             verdict.run.figures.samples.replaced >= soak.rows(RowStatus::replaced), [&] {
               return fmt::format("replaced is {}, the consumer saw {}",
                                  verdict.run.figures.samples.replaced,
                                  soak.rows(RowStatus::replaced));
             });
}

void check_attempts(const Attempts& attempts, std::uint64_t epochs, const CacheClock& cache,
                    LawBook& book) {
  if (cache.hits > 0) {
    // What the cache had was read once.
    const auto draws = attempts.size() * epochs;
    book.check(Law::attempted, attempts.total() + cache.hits >= draws, [&] {
      return fmt::format("{} files were drawn {} times, with {} reads and {} hits of the cache",
                         attempts.size(), draws, attempts.total(), cache.hits);
    });
    epochs = 1;
  }
  const auto every_epoch = attempts.read_at_least(epochs);
  book.check(Law::attempted, every_epoch == attempts.size(), [&] {
    return fmt::format("{} of {} files were read in each of {} epochs", every_epoch,
                       attempts.size(), epochs);
  });
}

}  // namespace

int verify_command(const Settings& settings, const Interrupt& interrupt) {
  const auto upstream = std::make_shared<CountingResource>();
  auto options = settings.options;
  options.memory.upstream = upstream;
  auto source = open_data(settings, interrupt.token());
  // Before the reads are counted: those that measure are none of the stream's.
  if (options.sizes.mode != Sizes::fixed) options.sizes.index = measure_sizes(source, options);
  const auto attempts = std::make_shared<Attempts>(source.size());

  LawBook book;
  Verdict verdict;
  report::ProcessSampler process;
  verdict.run.process_before = process.before();
  {
    Loader loader(watched(std::move(source), attempts), options);
    const MetricsServer::Showing shown(settings.metrics.get(), loader);
    soak(loader, settings, interrupt, *upstream, book, verdict);
  }
  verdict.run.process_peak = process.stop();
  verdict.run.interrupted = interrupt.raised();
  book.check(Law::held, upstream->live() == 0, [&] {
    return fmt::format("{} bytes of slabs outlived loader and batches", upstream->live());
  });

  verdict.files = attempts->size();
  verdict.attempted = attempts->read_at_least(1);
  verdict.reads = attempts->total();
  const bool ran_to_the_end = verdict.run.error.empty() && !verdict.run.interrupted;
  if (ran_to_the_end && !settings.steps && !settings.options.drop_last)
    check_attempts(*attempts, settings.stream_epochs().value_or(1), verdict.run.figures.cache,
                   book);
  verdict.laws = book.figures();
  verdict.breaches = book.breaches();
  emit(settings, to_json(verdict), to_text(verdict));
  if (!verdict.run.error.empty()) say("weir: {}\n", verdict.run.error);
  if (verdict.breaches > 0) return failed_exit;
  return exit_code(verdict.run);
}

}  // namespace weir::cli
