#include "cli/drive.hpp"

#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/new_file.hpp"
#include "base/sanitize.hpp"
#include "cli/consumer.hpp"
#include "cli/data.hpp"
#include "cli/messages.hpp"
#include "cli/mpi_job.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/rows.hpp"
#include "engine/thread_stats.hpp"
#include "observe/digest.hpp"
#include "observe/metrics_server.hpp"
#include "observe/pictures.hpp"
#include "observe/timeline.hpp"
#include "report/bytes.hpp"
#include "report/process.hpp"

namespace weir::cli {
namespace {

void hint_nothing_left(const Settings& settings, const report::Run& run) {
  if (settings.resume && run.figures.queue.batches == 0 && run.error.empty() && !run.interrupted)
    hint(settings, "{}: nothing is left; --epochs counts from the beginning of the training",
         typed_option("--resume", settings.arguments));
}

/// The file of --save-progress. It is written after a batch if the last time is a second ago, and at
/// the end. Without a file it does nothing. One thread.
class ProgressFile {
 public:
  /// `stream` must outlive this. If `at_end`, only close() writes. Throws as Progress::save() does if
  /// the file cannot be written, but does not replace it: the user may have forgotten --resume.
  ProgressFile(std::string path, const Stream& stream, bool at_end)
      : path_(std::move(path)), stream_(stream), at_end_(at_end) {
    if (path_.empty()) return;
    first_ = stream.progress();
    if (!at_end_) NewFile{file_to_replace(path_)};
  }

  void after_batch() {
    if (path_.empty() || at_end_ || Clock::now() < next_) return;
    save(stream_.progress(), false);
    next_ = Clock::now() + std::chrono::seconds(1);
  }
  void close(const std::optional<weir::Progress>& of_all, bool ended) const {
    if (!path_.empty()) save(of_all ? *of_all : stream_.progress(), ended);
  }

 private:
  /// Until the run has `ended`, a state without a new finished batch replaces no earlier file.
  void save(const weir::Progress& state, bool ended) const {
    if (ended || state != first_ || !std::filesystem::exists(path_)) state.save(path_);
  }

  const std::string path_;
  const Stream& stream_;
  const bool at_end_;
  weir::Progress first_;
  Clock::time_point next_{};
};

/// What a run writes while it delivers.
struct Records {
  std::optional<observe::Digest> digest{};
  SampleList samples;
  ProgressFile progress;
  std::optional<std::vector<report::PicturedRow>> pictures{};  ///< of the first batch
};

void drain(Stream& stream, const Loader& loader, const AnySource& source, const Settings& settings,
           const Interrupt& interrupt, Records& records, const AfterBatch& after_batch) {
  Consumer consumer(settings, interrupt.token());
  std::deque<Batch> held;
  for (std::uint64_t taken = 0; taken != settings.steps; ++taken) {
    if (held.size() == loader.plan().max_leases) held.pop_front();
    auto batch = stream.next();
    if (!batch) return;
    if (records.digest) records.digest->add(*batch);
    records.samples.add(*batch);
    if (records.pictures && taken == 0)
      records.pictures = observe::pictures_of(*batch, source, settings.options);
    auto receipt = batch->receipt();
    consumer.take(*batch);
    // The consumer has not trained with a batch on which it was interrupted.
    if (interrupt.raised()) receipt.abandon();
    receipt.finish();
    records.progress.after_batch();
    held.push_back(std::move(*batch));
    if (after_batch && !after_batch({loader, stream, held})) return;
  }
}

/// The wait of settle() is no time of the run, so what is relative to time is that of before.
void keep_times(Report& settled, Report before) {
  settled.queue = std::move(before.queue);
  settled.throughput = before.throughput;
  settled.regime = std::move(before.regime);
}

void write_trace(const Loader& loader, const std::string& path) {
  OutputFile file(path);
  loader.write_trace(file.stream());
  file.close();
}

}  // namespace

report::Run drive(const AnySource& source, const Settings& settings, const Interrupt& interrupt,
                  const std::string& label, const AfterBatch& after_batch, const MpiJob* job) {
  report::Run run;
  run.parts_before = process_parts();
  report::ProcessSampler process;
  run.process_before = process.before();
  {
    auto options = settings.options;
    options.tuning.on_move = [&settings](const std::string& move) { advise_user(settings, move); };
    Loader loader(source, options);
    const observe::MetricsServer::Showing shown(settings.metrics.get(), loader);
    const Progress progress(settings, loader, label);
    const StreamOptions extent{
        .resume = settings.resume, .epochs = settings.stream_epochs(), .stop = interrupt.token()};
    if (job) job->check_same(loader, extent);
    auto stream = loader.stream(extent);
    // All ranks know what all have finished only at the end, so they must reach it.
    const bool one_file =
        settings.joint && !settings.save_progress.empty() && !settings.save_progress_by_rank;
    std::optional<Interrupt::Keep> keep;
    if (one_file) keep.emplace(interrupt);
    Records records{.samples = SampleList(settings, loader, source),
                    .progress = ProgressFile(settings.save_progress, stream, one_file)};
    if (settings.digest) records.digest.emplace();
    if (!settings.html.empty() && !settings.only_depth) records.pictures.emplace();
    observe::Timeline timeline(loader);
    const auto cpu_before = process_cpu_seconds();
    std::optional<Report> before_settle;
    try {
      drain(stream, loader, source, settings, interrupt, records, after_batch);
      if (settings.settle && !interrupt.raised()) {
        before_settle = loader.report();
        stream.settle();
      }
    } catch (const std::exception& e) {
      run.error = reason_of(e, settings);
      // The report says it, too, but comes when all ranks have finished.
      if (settings.joint) say_error(settings, run.error, loader.report().fault_count);
    }
    run.cpu_s = process_cpu_seconds() - cpu_before;
    run.interrupted = interrupt.raised();
    run.timeline = timeline.stop();
    run.timeline_interval_s = timeline.interval_s();
    if (records.pictures) run.pictures = std::move(*records.pictures);
    run.figures = loader.report();
    run.evidence = evidence(before_settle ? *before_settle : run.figures);
    if (before_settle) keep_times(run.figures, std::move(*before_settle));
    for (auto& fault : run.figures.faults) fault.reason = with_option_names(fault.reason);
    // The loader does not know what was measured before it.
    if (settings.sample.both != 0 && !options.memory.ledger)
      run.figures.plan.data_ceiling_bytes =
          plan_of(settings, source.index_bytes(), source.size()).data_ceiling_bytes;
    hint_nothing_left(settings, run);
    // The waits of a single batch are those of the start and the end. The time of the digest counts
    // as the consumer's.
    if (run.figures.queue.batches < 2 || settings.digest) run.figures.regime.reset();
    run.parts_now = process_parts();
    std::optional<weir::Progress> of_all;
    if (one_file) of_all = job->merge(stream.progress());
    const bool ended = run.error.empty() && !run.interrupted;
    try {
      write_all({[&] {
                   if (of_all || !one_file) records.progress.close(of_all, ended);
                 },
                 [&] { records.samples.close(); },
                 [&] {
                   if (!settings.trace.empty()) write_trace(loader, settings.trace);
                 }});
    } catch (const std::exception& e) {
      run.output_failure = std::current_exception();
      if (settings.joint) say_error(settings, sanitize_message(e.what(), SIZE_MAX), 0);
    }
    run.budget_how = settings.budget_how;
    run.sample_how = settings.sample_how;
    if (settings.slab_note) run.slab_note = settings.slab_note();
    if (records.digest) run.digest = std::move(*records.digest).hex();
  }
  if (const auto lost = run.figures.trace_lost; lost > 0)
    hint(settings, "--trace has the first {} events; {} more did not fit: raise --trace-events",
         report::grouped(settings.options.trace.events), report::grouped(lost));
  run.process_peak = process.stop();
  run.process_after = process_memory();
  run.posting_ns = report::measure_posting_ns();
  run.reading_ns = engine::measure_reading_ns();
  return run;
}

}  // namespace weir::cli
