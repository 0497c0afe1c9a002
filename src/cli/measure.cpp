#include "cli/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "cli/drive.hpp"
#include "plan/pixel_plan.hpp"
#include "report/text.hpp"
#include "weir/advice.hpp"

namespace weir::cli {
namespace {

constexpr double precision = 0.02;
constexpr double least_s = 1, most_s = 5, warm_s = 0.2, most_warm_s = 3;
constexpr std::uint64_t least_batches = 8;
/// A slower consumer is measured with this time. Its waits are known without a measurement.
constexpr double longest_consumer_ms = 1000;
/// If reads take longer, the measurement uses read-ahead.
constexpr double slow_read_s = 4e-3;
constexpr std::uint32_t most_help = 64;
/// The measurement aims at no fewer samples per second.
constexpr double wanted_pace = 400;

bool precise(const Service& service) {
  if (service.mean_s <= 0) return true;
  const auto n = static_cast<double>(std::max<std::uint64_t>(service.count, 1));
  return service.deviation_s / service.mean_s / std::sqrt(n) <= precision;
}

/// Examines a loader after each batch and decides when the measurement is precise enough.
class Gauge {
 public:
  explicit Gauge(std::uint64_t most_samples) : most_samples_(most_samples) {}

  bool wants_more(const Loader& loader) {
    const auto now = Clock::now();
    ++batches_;
    samples_ = batches_ * loader.plan().batch;
    if (!warm_) {
      const bool filled = batches_ > loader.plan().slabs && seconds(now - start_) >= warm_s;
      if (filled || seconds(now - start_) >= most_warm_s) {
        warm_ = loader.report();
        since_ = looked_ = now;
        batches_before_ = batches_;
      }
      return true;
    }
    // A report costs time.
    if (seconds(now - looked_) < 0.1) return true;
    looked_ = now;
    seen_ = interval(*warm_, loader.report());
    return !enough(seconds(now - since_));
  }
  const std::optional<Interval>& seen() const noexcept { return seen_; }

 private:
  bool enough(double elapsed) const {
    if (elapsed >= most_s) return true;
    if (elapsed < least_s || batches_ - batches_before_ < least_batches) return false;
    if (samples_ >= most_samples_) return true;
    const bool reads_matter = seen_->read.mean_s > 0.02 * seen_->decode.mean_s;
    return precise(seen_->decode) && (!reads_matter || precise(seen_->read));
  }

  const std::uint64_t most_samples_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point since_{}, looked_{};
  std::uint64_t batches_ = 0, batches_before_ = 0, samples_ = 0;
  std::optional<Report> warm_;
  std::optional<Interval> seen_;
};

/// The time of the fastest of a few sequential reads. The first read may be slower, because it may
/// have to open files.
double quick_look_s(const AnySource& source) {
  double fastest = 1e9;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(source.size(), 3); ++i) {
    const auto before = Clock::now();
    try {
      MemorySink sink;
      sink.want({});
      static_cast<void>(source.read(i, sink));
    } catch (const std::exception&) {
      continue;  // the stream will report this fault
    }
    fastest = std::min(fastest, seconds(Clock::now() - before));
  }
  return fastest < 1e9 ? fastest : 0;
}

Service service_of(const std::vector<double>& milliseconds) {
  Timing timing;
  for (const auto ms : milliseconds) {
    ++timing.count;
    timing.sum_s += ms * 1e-3;
    timing.squares_s2 += ms * ms * 1e-6;
  }
  return service(timing);
}

}  // namespace

std::string put_measured_size(report::Json& json, const Settings& settings) {
  const auto size = settings.measured_size ? sides(*settings.measured_size) : std::string();
  json["measured_size"] = report::text_or_null(size);
  return size.empty() ? ""
                      : fmt::format("Measured at {}, the largest size of the schedule{}.\n", size,
                                    settings.epochs ? " that these epochs reach" : "");
}

Verdict prediction(const Interval& interval) {
  auto verdict = predict(interval, setting_of(interval.plan)).verdict;
  const auto ms = [](const Service& service) {
    return fmt::format("{:.1f} ms", service.mean_s * 1e3);
  };
  verdict.why = fmt::format(
      "with read_ahead {} the consumer would wait {} of the time ({} for reads, {} for decoding, "
      "{} for memory), the producers {}: a read takes {}, a decode {}, the consumer {} a batch",
      interval.plan.read_ahead, percent(verdict.consumer_wait), percent(verdict.storage_wait),
      percent(verdict.decode_wait), percent(verdict.memory_wait), percent(verdict.producer_wait),
      ms(interval.read), ms(interval.decode), ms(interval.consumer));
  return verdict;
}

Measured measure(const AnySource& source, const Settings& requested, const Interrupt& interrupt,
                 std::uint64_t most_samples) {
  Measured measured;
  std::optional<Service> consumer;  // the requested consumer if the measured one was shortened
  auto settings = requested;
  settings.options.order =
      Order::shuffle();  // the first images of a folder may differ from the others
  settings.epochs.reset();
  settings.steps = UINT64_MAX;
  settings.digest = settings.settle = false;
  // A cache would hide the time that a sample takes.
  settings.options.cache = {};
  if (settings.consumer_ms > longest_consumer_ms) {
    settings.consumer_ms = longest_consumer_ms;
    consumer = Service{.count = 1, .mean_s = requested.consumer_ms * 1e-3};
  }
  // With slow reads and no read-ahead, the measurement would take too long.
  const double read_s = quick_look_s(source);
  const bool help = settings.options.io.read_ahead == 0 && read_s > slow_read_s;
  if (help)
    settings.options.io.read_ahead =
        static_cast<std::uint32_t>(std::min<double>(most_help, std::ceil(read_s * wanted_pace)));
  Gauge gauge(most_samples);
  measured.run = drive(source, settings, interrupt, "measuring",
                       [&](const Taken& now) { return gauge.wants_more(now.loader); });
  if (!gauge.seen() || gauge.seen()->samples == 0 || gauge.seen()->decode.count == 0) {
    auto& run = measured.run;
    if (run.error.empty() && !run.interrupted)
      run.error = "nothing was measured: no sample could be decoded" +
                  (run.figures.faults.empty()
                       ? std::string()
                       : ", the first is " + report::fault_text(run.figures.faults.front()));
    return measured;
  }
  measured.interval = gauge.seen();
  auto& interval = *measured.interval;
  if (interval.consumer.count < requested.consumer_trace.size())
    consumer = service_of(requested.consumer_trace);
  interval.plan = resolve(plan::with_annotation_bytes(requested.options, source),
                          source.index_bytes(), 0, source.size());
  if (consumer) interval.consumer = *consumer;
  // The measured setting or consumer was not the requested one.
  measured.predicted = help || consumer;
  return measured;
}

}  // namespace weir::cli
