#include "cli/subject.hpp"

#include <chrono>
#include <exception>
#include <stop_token>
#include <utility>

#include "cli/consumer.hpp"
#include "cli/data.hpp"
#include "cli/digest.hpp"
#include "cli/messages.hpp"
#include "cli/metrics_server.hpp"
#include "cli/progress.hpp"
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
      source_(open_undelayed(settings_, interrupt.token())) {
  options_.memory.upstream = upstream_;
  options_.memory.ledger = std::move(ledger);
  found_.data = settings_.data;
  found_.run.budget_how = settings_.budget_how;
  // The reads of this measurement do not count, because they are not reads of the stream.
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

void Subject::check_at_rest(std::uint64_t replaced_seen) {
  found_.run.figures = loader_->report();
  const auto& memory = found_.run.figures.memory;
  const auto cached = memory[Account::cache];
  const auto staging = report::staging_bytes(memory.accounts);
  book_.check(Law::bound, upstream_->live() == staging + cached,
              "{} bytes of slabs and cache allocated, {} and {} on the books, with nothing running",
              upstream_->live(), staging, cached);
  const auto replaced = found_.run.figures.samples.replaced;
  book_.check(Law::conservation, replaced >= replaced_seen, "replaced is {}, the consumer saw {}",
              replaced, replaced_seen);
}

void Subject::close() {
  loader_.reset();
  found_.run.interrupted = interrupt_.raised();
  book_.check(Law::held, upstream_->live() == 0, "{} bytes of slabs outlived loader and batches",
              upstream_->live());
}

void Subject::check_attempts() {
  auto epochs = settings_.stream_epochs().value_or(1);
  const auto& attempts = *attempts_;
  if (const auto hits = found_.run.figures.cache.hits; hits > 0) {
    // A sample that the cache delivered needed only one read.
    const auto draws = attempts.size() * epochs;
    book_.check(Law::attempted, attempts.total() + hits >= draws,
                "{} files were drawn {} times, with {} reads and {} hits of the cache",
                attempts.size(), draws, attempts.total(), hits);
    epochs = 1;
  }
  const auto every_epoch = attempts.read_at_least(epochs);
  book_.check(Law::attempted, every_epoch == attempts.size(),
              "{} of {} files were read in each of {} epochs", every_epoch, attempts.size(),
              epochs);
}

SubjectFindings Subject::verdict() {
  if (ran_to_the_end() && !settings_.steps && !options_.drop_last) check_attempts();
  if (delivered_)
    found_.determinism =
        compare(source_, settings_, options_, found_.run.figures, *delivered_, interrupt_, book_);
  found_.laws = book_.figures();
  found_.breaches = book_.breaches();
  found_.files = attempts_->size();
  found_.attempted = attempts_->read_at_least(1);
  found_.reads = attempts_->total();
  return found_;
}

}  // namespace weir::cli
