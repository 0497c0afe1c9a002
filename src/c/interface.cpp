#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "api/stream_state.hpp"
#include "base/clock.hpp"
#include "base/internals.hpp"
#include "base/mutex.hpp"
#include "c/columns.hpp"
#include "c/guarded.hpp"
#include "c/source.hpp"
#include "data/open_data.hpp"
#include "engine/thread_stats.hpp"
#include "options/refuse.hpp"
#include "report/figures.hpp"
#include "report/json.hpp"
#include "report/process.hpp"
#include "weir/loader.hpp"
#include "weir/version.hpp"

/// A loader, its stream, and the batches that the caller holds.
struct weir_loader {
  weir_loader(weir::AnySource source, const weir::Options& options)
      : loader(std::move(source), options) {}

  const weir::ProcessMemory memory_before = weir::process_memory();
  const weir::ProcessParts parts_before = weir::process_parts();
  const double cpu_before = weir::process_cpu_seconds();
  weir::Loader loader;
  std::mutex consuming;                ///< held in weir_next() and while the stream is replaced
  std::mutex replacing;                ///< held in weir_cancel() and while the stream is replaced
  std::optional<weir::Stream> stream;  ///< either of the two allows to use it
  weir::Mutex mutex;
  /// Of the last stream that was started, which may be gone. Empty before the first one.
  std::function<weir::Progress(bool all_ranks)> progress WEIR_GUARDED_BY(mutex);
  std::string error WEIR_GUARDED_BY(mutex);  ///< why that stream ended early
  std::map<weir_batch, weir::Batch> batches WEIR_GUARDED_BY(mutex);
  weir_batch last WEIR_GUARDED_BY(mutex) = 0;
};

namespace weir::c {
namespace {

void check_started(weir_loader& loader) WEIR_REQUIRES(loader.mutex) {
  if (!loader.progress) misuse("there is no stream; call weir_start()");
}

/// What reads the progress.
std::function<Progress(bool)> progress_of(weir_loader& loader) {
  Lock lock(loader.mutex);
  check_started(loader);
  return loader.progress;
}

std::unique_lock<std::mutex> as_consumer(weir_loader& loader) {
  std::unique_lock<std::mutex> lock(loader.consuming, std::try_to_lock);
  if (!lock) misuse("another thread is in weir_next(); a stream has one consumer");
  return lock;
}

[[noreturn]] void refuse_batch(weir_batch batch) {
  misuse("batch ", batch, " is not held by this loader; it may have been released");
}

/// Calls `call` with a batch that is held.
template <class Call>
std::int32_t with_batch(weir_loader* loader, weir_batch batch, weir_error* error,
                        const Call& call) noexcept {
  return guarded(error, [&] {
    auto& owner = present(loader, "loader");
    Lock lock(owner.mutex);
    const auto held = owner.batches.find(batch);
    if (held == owner.batches.end()) refuse_batch(batch);
    call(held->second);
  });
}

/// Calls `call`, which returns the text, with the loader.
template <class Call>
std::int32_t with_text(weir_loader* loader, char* to, std::size_t room, std::size_t* length,
                       weir_error* error, const Call& call) noexcept {
  return guarded(error, [&] {
    const std::string text = call(present(loader, "loader"));
    if (length) *length = text.size();
    if (room <= text.size())
      throw Result{WEIR_NO_ROOM,
                   concat("the text has ", text.size(), " bytes and a 0, and room is ", room)};
    std::memcpy(&present(to, "to"), text.c_str(), text.size() + 1);
  });
}

void open(weir_loader** loader, const char* options, const auto& source) {
  present(loader, "loader") = nullptr;
  const auto parsed = Options::parse(options ? options : "");
  if (parsed.trace.events != 0)
    refuse_value("trace.events", parsed.trace.events,
                 "must be 0: no function of C writes the trace");
  *loader = new weir_loader(source(parsed), parsed);
}

std::string report_of(weir_loader& loader) {
  report::Run run;
  run.figures = loader.loader.report();
  run.process_before = loader.memory_before;
  run.process_peak = run.process_after = run.figures.process_now;
  run.process_peak.rss = std::max(run.process_peak.rss, report::resident().high_water);
  run.parts_before = loader.parts_before;
  run.parts_now = process_parts();
  run.cpu_s = process_cpu_seconds() - loader.cpu_before;
  {
    Lock lock(loader.mutex);
    run.error = loader.error;
  }
  run.posting_ns = report::measure_posting_ns();
  run.reading_ns = engine::measure_reading_ns();
  return report::run_json(run);
}

StreamOptions stream_options(const weir_stream_options* given) {
  if (!given) return {};
  const auto& options = checked(given, "options");
  StreamOptions all;
  if (options.resume) all.resume = Progress::parse(options.resume);
  all.first_epoch = options.first_epoch;
  all.epochs = options.epochs == 0 ? std::nullopt : std::optional(options.epochs);
  return all;
}

/// Remembers why the stream ended.
std::optional<Batch> next_of(weir_loader& loader, Stream& stream, std::int64_t timeout_ms) {
  constexpr std::int64_t most_ms = 1'000'000'000;
  try {
    if (timeout_ms < 0) return stream.next();
    if (timeout_ms == 0) return stream.try_next();
    return stream.next(std::chrono::milliseconds(std::min(timeout_ms, most_ms)));
  } catch (const std::exception& e) {
    const auto* const own = dynamic_cast<const Error*>(&e);
    const bool has_all_leases = own && own->code() == Errc::too_many_leases;
    Lock lock(loader.mutex);
    if (!has_all_leases && stream.finished()) loader.error = e.what();
    throw;
  }
}

weir_counts counts_of(const Snapshot& now) noexcept {
  weir_counts counts{};
  counts.size = sizeof counts;
  counts.live = now.memory.live;
  counts.peak = now.memory.peak;
  counts.budget = now.memory.budget.value_or(UINT64_MAX);
  static_assert(sizeof counts.accounts == sizeof now.memory.accounts);
  std::memcpy(counts.accounts, now.memory.accounts.data(), sizeof counts.accounts);
  const auto& s = now.samples;
  counts.drawn = s.drawn;
  counts.in_flight = s.in_flight;
  counts.ready = s.ready;
  counts.leased = s.leased;
  counts.consumed = s.consumed;
  counts.discarded = s.discarded;
  counts.dropped = s.dropped;
  counts.failed = s.failed;
  counts.replaced = s.replaced;
  counts.omitted = s.omitted;
  counts.partners = s.partners;
  counts.batches_filling = now.filling;
  counts.batches_ready = now.ready;
  counts.batches_leased = now.leased;
  return counts;
}

/// The plane that a caller names. Null and "" are the image.
std::string_view plane_name(const char* plane) noexcept { return plane ? plane : ""; }

}  // namespace
}  // namespace weir::c

using namespace weir;
using namespace weir::c;

const char* weir_version(void) { return library_version().data(); }

int32_t weir_open(const char* data, const char* options, weir_loader** loader, weir_error* error) {
  return guarded(error, [&] {
    open(loader, options, [&](const Options& parsed) {
      const FolderOptions files{.max_encoded_bytes = parsed.limits.max_encoded_bytes};
      return data::open({&present(data, "data")}, {.files = files});
    });
  });
}

int32_t weir_open_source(const weir_source* source, const char* options, weir_loader** loader,
                         weir_error* error) {
  return guarded(error, [&] {
    const auto& described = checked(source, "source");
    const auto made = make_source(described);  // from here on, close is called
    if (!described.read) misuse("source.read is null");
    open(loader, options, [&](const Options&) { return made; });
  });
}

int32_t weir_close(weir_loader** loader, weir_error* error) {
  const auto result = guarded(error, [&] {
    auto& owner = present(present(loader, "loader"), "*loader");
    const auto consumer = as_consumer(owner);
    Lock lock(owner.mutex);
    if (!owner.batches.empty())
      misuse("batches are held: ", owner.batches.size(), "; call weir_release() first");
  });
  if (result == WEIR_OK) delete std::exchange(*loader, nullptr);
  return result;
}

int32_t weir_describe(weir_loader* loader, weir_loader_info* info, weir_error* error) {
  return guarded(error, [&] {
    const auto& made = present(loader, "loader").loader;
    const auto& plan = made.plan();
    checked(info, "info") = {.size = sizeof *info,
                             .samples = made.size(),
                             .batches_per_epoch = made.batches_per_epoch(),
                             .slab_bytes = plan.slab_bytes,
                             .floor_bytes = plan.floor_bytes,
                             .ceiling_bytes = plan.ceiling_bytes,
                             .classes = made.class_names().size(),
                             .batch = plan.batch,
                             .height = plan.shape.height,
                             .width = plan.shape.width,
                             .channels = channels_of(plan.pixels),
                             .value_bytes = value_bytes(plan.pixels),
                             .max_queue_size = plan.max_queue_size,
                             .max_leases = plan.max_leases,
                             .workers = plan.workers};
  });
}

int32_t weir_count(weir_loader* loader, weir_counts* counts, weir_error* error) {
  return guarded(error, [&] {
    checked(counts, "counts") = counts_of(present(loader, "loader").loader.snapshot());
  });
}

int32_t weir_report(weir_loader* loader, char* to, size_t room, size_t* length, weir_error* error) {
  return with_text(loader, to, room, length, error, report_of);
}

int32_t weir_sample_name(weir_loader* loader, uint64_t index, char* to, size_t room, size_t* length,
                         weir_error* error) {
  return with_text(loader, to, room, length, error,
                   [&](const weir_loader& owner) { return owner.loader.name(index); });
}

int32_t weir_class_name(weir_loader* loader, uint64_t label, char* to, size_t room, size_t* length,
                        weir_error* error) {
  return with_text(loader, to, room, length, error, [&](const weir_loader& owner) {
    const auto names = owner.loader.class_names();
    if (label >= names.size())
      misuse("label = ", label, ": the data name ", names.size(), " classes");
    return names[label];
  });
}

int32_t weir_start(weir_loader* loader, const weir_stream_options* options, weir_error* error) {
  return guarded(error, [&] {
    auto& owner = present(loader, "loader");
    const auto extent = stream_options(options);
    const auto consumer = as_consumer(owner);
    const std::lock_guard replacing(owner.replacing);
    if (owner.stream && owner.stream->finished()) owner.stream.reset();
    auto stream = owner.loader.stream(extent);
    auto progress =
        static_cast<const api::StreamState&>(Internals::state(stream)).progress_reader();
    owner.stream.emplace(std::move(stream));
    Lock lock(owner.mutex);
    owner.progress = std::move(progress);
    owner.error.clear();
  });
}

int32_t weir_next(weir_loader* loader, int64_t timeout_ms, weir_batch* batch, weir_error* error) {
  return guarded(error, [&]() -> std::int32_t {
    present(batch, "batch") = 0;
    auto& owner = present(loader, "loader");
    const auto consumer = as_consumer(owner);
    {
      Lock lock(owner.mutex);
      check_started(owner);
    }
    auto& stream = owner.stream;
    if (!stream) return WEIR_END;  // it had ended before a weir_start() that failed
    auto next = next_of(owner, *stream, timeout_ms);
    if (!next) return stream->finished() ? WEIR_END : WEIR_TIMEOUT;
    next->held_by("weir_batch");
    Lock lock(owner.mutex);
    owner.batches.emplace(++owner.last, std::move(*next));
    *batch = owner.last;
    return WEIR_OK;
  });
}

int32_t weir_cancel(weir_loader* loader, weir_error* error) {
  return guarded(error, [&] {
    auto& owner = present(loader, "loader");
    const std::lock_guard replacing(owner.replacing);
    {
      Lock lock(owner.mutex);
      check_started(owner);
    }
    if (owner.stream) owner.stream->cancel();
  });
}

int32_t weir_progress(weir_loader* loader, int32_t all_ranks, char* to, size_t room, size_t* length,
                      weir_error* error) {
  return with_text(loader, to, room, length, error, [&](weir_loader& owner) {
    return progress_of(owner)(all_ranks != 0).to_json();
  });
}

int32_t weir_describe_batch(weir_loader* loader, weir_batch batch, weir_batch_info* info,
                            weir_error* error) {
  return with_batch(loader, batch, error, [&](const Batch& held) {
    checked(info, "info") = {.size = sizeof *info,
                             .sequence = held.sequence(),
                             .epoch = held.epoch(),
                             .global_rows = held.global_rows(),
                             .bytes_held = held.bytes_held(),
                             .padding = held.padding(),
                             .rows = held.size(),
                             .last_of_epoch = held.last_of_epoch()};
  });
}

int32_t weir_column(weir_loader* loader, weir_batch batch, const char* plane, const char* column,
                    weir_array* array, weir_error* error) {
  return with_batch(loader, batch, error, [&](const Batch& held) {
    checked(array, "array") = column_of(held, plane_name(plane), &present(column, "column"));
  });
}

int32_t weir_row(weir_loader* loader, weir_batch batch, const char* plane, const char* column,
                 uint32_t row, weir_array* array, weir_error* error) {
  return with_batch(loader, batch, error, [&](const Batch& held) {
    checked(array, "array") = column_of(held, plane_name(plane), &present(column, "column"), row);
  });
}

int32_t weir_window_of(weir_loader* loader, weir_batch batch, uint32_t row, weir_window* window,
                       weir_error* error) {
  return with_batch(loader, batch, error, [&](const Batch& held) {
    const auto& shown = held.window(row);
    const auto& from = shown.source;
    const auto& to = shown.target;
    checked(window, "window") = {.size = sizeof *window,
                                 .source = {from.x, from.y, from.width, from.height},
                                 .target = {to.x, to.y, to.width, to.height},
                                 .flip_horizontal = shown.flip.horizontal,
                                 .flip_vertical = shown.flip.vertical,
                                 .height = shown.image.height,
                                 .width = shown.image.width,
                                 .orientation = shown.orientation};
  });
}

int32_t weir_finish(weir_loader* loader, weir_batch batch, weir_error* error) {
  return with_batch(loader, batch, error, [](Batch& held) { held.finish(); });
}

int32_t weir_release(weir_loader* loader, weir_batch batch, int32_t finished, weir_error* error) {
  return guarded(error, [&] {
    auto& owner = present(loader, "loader");
    auto released = [&] {
      Lock lock(owner.mutex);
      return owner.batches.extract(batch);
    }();
    if (released.empty()) refuse_batch(batch);
    if (!finished) released.mapped().receipt().abandon();
  });
}
