#include "cli/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "advice/plan_with.hpp"
#include "advice/predict.hpp"
#include "advice/workload.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"
#include "cli/data.hpp"
#include "cli/drive.hpp"
#include "plan/pixel_plan.hpp"
#include "report/text.hpp"

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
  VectorSink sink;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(source.size(), 3); ++i) {
    const auto before = Clock::now();
    try {
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

report::Json point_of(const Prediction& found) {
  return {{"samples_per_s", found.samples_per_s},
          {"consumer_wait", found.consumer_wait},
          {"data_readiness", found.data_readiness},
          {"total_bytes", found.total_bytes},
          {"regime", to_string(found.verdict.regime)}};
}

report::Json point(const Interval& interval, const advice::Workload& work, const Setting& setting) {
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

std::string put_measured_size(report::Json& json, const Settings& settings) {
  const auto size = settings.measured_size ? sides(*settings.measured_size) : std::string();
  json["measured_size"] = report::text_or_null(size);
  return size.empty() ? ""
                      : fmt::format("Measured at {}, the largest size of the schedule.\n", size);
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
  measured.verdict = judge(interval);
  interval.plan = resolve(plan::with_annotation_bytes(requested.options, source),
                          source.index_bytes(), 0, source.size());
  if (consumer) interval.consumer = *consumer;
  // The measured setting or consumer was not the requested one.
  measured.predicted = help || consumer;
  if (measured.predicted) measured.verdict = prediction(interval);
  return measured;
}

std::optional<Interval> evidence(const Report& figures) {
  auto seen = interval(figures);
  const bool one_workload = figures.plan.sizes.mode == Sizes::fixed &&
                            figures.plan.sizes.size.empty() &&
                            figures.plan.cache.keep == Cache::nothing && figures.moves.empty() &&
                            figures.setting == setting_of(figures.plan);
  if (!one_workload || seen.seconds < least_s || seen.batches < least_batches ||
      seen.decode.count == 0)
    return std::nullopt;
  return seen;
}

std::vector<Prediction> by_depth(const Interval& interval, const Setting& around) {
  // Up to the largest queue of an advice, or the current queue if it is larger.
  const auto own = around.max_queue_size, most = std::max(own, AdviceOptions{}.most_queue);
  std::set<std::uint32_t> depths{own, std::max(1u, own - 1), std::min(most, own + 1)};
  for (std::uint64_t depth = 1; depth <= std::min(most, std::max(8u, 2 * own)); depth *= 2)
    depths.insert(static_cast<std::uint32_t>(depth));
  std::vector<Prediction> predictions;
  for (const auto depth : depths) {
    auto setting = around;
    setting.max_queue_size = depth;
    auto prediction = predict(interval, setting);
    // Otherwise the budget has no room for this depth.
    if (prediction.setting.max_queue_size == depth) predictions.push_back(std::move(prediction));
  }
  return predictions;
}

report::Json setting_grid(const Interval& interval, const Advice& advice) {
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
    const Service consumer{interval.consumer.count, seconds, interval.consumer.deviation_s * scale};
    works.push_back(advice::workload_of(interval, now.batch, 0, &consumer));
    works.back().batches = std::max<std::uint64_t>(works.back().batches / shorter, 64);
  }
  auto points = report::Json::array();
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

}  // namespace weir::cli
