#include "cli/subject.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <stop_token>
#include <utility>

#include "cli/consumer.hpp"
#include "cli/data.hpp"
#include "cli/digest.hpp"
#include "cli/metrics_server.hpp"
#include "cli/progress.hpp"
#include "cli/recount.hpp"
#include "cli/soak.hpp"

namespace weir::cli {
namespace {

constexpr auto stall_limit = std::chrono::seconds(60);

}  // namespace

Subject::Subject(Settings settings, std::shared_ptr<MemoryLedger> ledger,
                 const Interrupt& interrupt)
    : settings_(std::move(settings)),
      interrupt_(interrupt),
      options_(settings_.options),
      source_(open_undelayed(settings_)) {
  options_.memory.upstream = upstream_;
  options_.memory.ledger = std::move(ledger);
  run_.budget_how = settings_.budget_how;
  // Before the reads are counted: those that measure are none of the stream's.
  if (options_.sizes.mode != Sizes::fixed) options_.sizes.index = measure_sizes(source_, options_);
  attempts_ = std::make_shared<Attempts>(source_.size());
}

void Subject::open() {
  loader_.emplace(watched(delayed(source_, settings_, interrupt_.token()), attempts_), options_);
  delivered_.emplace(*loader_, settings_);
}

void Subject::soak() {
  auto& loader = *loader_;
  const MetricsServer::Showing shown(settings_.metrics.get(), loader);
  std::stop_source stop;
  const std::stop_callback stop_too(interrupt_.token(), [&stop] { stop.request_stop(); });
  Recount recount;
  const Progress progress(settings_, loader, "verify");
  auto stream =
      loader.stream({.from = {}, .epochs = settings_.stream_epochs(), .stop = stop.get_token()});
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
    run_.error = e.what();
  }
  if (digest) run_.digest = std::move(*digest).hex();
  ticks_ = monitor.stop();
  check_at_rest(soak.rows(RowStatus::replaced));
}

void Subject::check_at_rest(std::uint64_t replaced_seen) {
  run_.figures = loader_->report();
  const auto& memory = run_.figures.memory;
  const auto cached = memory[Account::cache];
  book_.check(
      Law::bound, upstream_->live() == report::staging_bytes(memory.accounts) + cached, [&] {
        return fmt::format(
            "{} bytes of slabs and cache allocated, {} and {} on the books, with nothing running",
            upstream_->live(), report::staging_bytes(memory.accounts), cached);
      });
  const auto replaced = run_.figures.samples.replaced;
  book_.check(Law::conservation, replaced >= replaced_seen, [&] {
    return fmt::format("replaced is {}, the consumer saw {}", replaced, replaced_seen);
  });
}

void Subject::close() {
  loader_.reset();
  run_.interrupted = interrupt_.raised();
  book_.check(Law::held, upstream_->live() == 0, [&] {
    return fmt::format("{} bytes of slabs outlived loader and batches", upstream_->live());
  });
}

void Subject::check_attempts() {
  auto epochs = settings_.stream_epochs().value_or(1);
  const auto& attempts = *attempts_;
  if (const auto hits = run_.figures.cache.hits; hits > 0) {
    // What the cache had was read once.
    const auto draws = attempts.size() * epochs;
    book_.check(Law::attempted, attempts.total() + hits >= draws, [&] {
      return fmt::format("{} files were drawn {} times, with {} reads and {} hits of the cache",
                         attempts.size(), draws, attempts.total(), hits);
    });
    epochs = 1;
  }
  const auto every_epoch = attempts.read_at_least(epochs);
  book_.check(Law::attempted, every_epoch == attempts.size(), [&] {
    return fmt::format("{} of {} files were read in each of {} epochs", every_epoch,
                       attempts.size(), epochs);
  });
}

SubjectFindings Subject::verdict() {
  if (ran_to_the_end() && !settings_.steps && !options_.drop_last) check_attempts();
  SubjectFindings verdict;
  if (delivered_)
    verdict.determinism =
        compare(source_, settings_, options_, run_.figures, *delivered_, interrupt_, book_);
  verdict.data = settings_.data;
  verdict.run = run_;
  verdict.laws = book_.figures();
  verdict.breaches = book_.breaches();
  verdict.ticks = ticks_;
  verdict.files = attempts_->size();
  verdict.attempted = attempts_->read_at_least(1);
  verdict.reads = attempts_->total();
  return verdict;
}

}  // namespace weir::cli
