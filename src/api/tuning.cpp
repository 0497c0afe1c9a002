#include "api/tuning.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/pause.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"

namespace weir::api {
namespace {

AdviceOptions bounds_of(const Plan& plan, const TuningOptions& options, std::stop_token stop) {
  return {.target_readiness = options.target_readiness,
          .budget_bytes = plan.budget_bytes,
          .most_queue = plan.max_queue_size,
          .most_workers = plan.workers,
          .most_read_ahead = plan.read_ahead,
          .stop = std::move(stop)};
}

}  // namespace

AutomaticTuning::AutomaticTuning(engine::Engine& engine, engine::Core& core,
                                 const TuningOptions& options, std::function<Report()> figures)
    : engine_(engine),
      core_(core),
      options_(options),
      figures_(std::move(figures)),
      tuner_(core.plan.start, bounds_of(core.plan, options, stop_.get_token())),
      before_(figures_()),
      thread_(start_thread([this] {
        engine_.adopt_this_thread();
        try {
          watch();
        } catch (const std::exception& error) {
          // The destructor ended an evaluation.
          if (stop_.stop_requested()) return;
          // The stream continues unchanged.
          note(error.what());
        } catch (...) {
          note("tuning.on_move threw something that is no std::exception");
        }
      })) {}

AutomaticTuning::~AutomaticTuning() {
  stop_.request_stop();
  thread_.join();
}

void AutomaticTuning::note(const char* what) noexcept {
  try {
    core_.moves.add(concat("tuning ended: ", what));
  } catch (const std::exception&) {
    // There is no memory for the message either.
  }
}

void AutomaticTuning::watch() {
  if (core_.trace) core_.trace->has_tuning();
  const auto stop = stop_.get_token();
  // An interval beyond the clock's range would end at once.
  const auto interval =
      std::min<std::chrono::milliseconds>(options_.interval, std::chrono::hours(24));
  while (pause(stop, interval)) look();
}

void AutomaticTuning::look() {
  const auto begun = Clock::now();
  auto now = figures_();
  const auto seen = interval(before_, now);
  if (!advice::Tuner::enough(seen)) return;
  before_ = std::move(now);
  const auto move = tuner_.look(seen);
  if (auto* const trace = core_.trace.get())
    trace->thread(engine::Trace::Of::look, trace->tuning(), begun, Clock::now(), 0);
  if (!move) return;
  auto text = move->reason;
  try {
    engine_.apply(move->to);
  } catch (const std::exception& error) {
    // The next report shows the engine's actual setting, and the tuner sees no effect.
    text += concat(" (not done: ", error.what(), ")");
  }
  const auto index = core_.moves.add(text);
  if (core_.trace) core_.trace->move(core_.knobs.get().now, index);
  if (options_.on_move) options_.on_move(text);
}

}  // namespace weir::api
