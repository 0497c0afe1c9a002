#include "api/tuning.hpp"

#include <string>
#include <utility>

#include "base/pause.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"

namespace weir::api {
namespace {

AdviceOptions bounds_of(const LoaderState& loader, std::stop_token stop) {
  const auto& plan = loader.plan;
  return {.target_readiness = loader.options.tuning.target_readiness,
          .budget_bytes = plan.budget_bytes,
          .most_queue = plan.max_queue_size,
          .most_workers = plan.workers,
          .most_read_ahead = plan.read_ahead,
          .stop = std::move(stop)};
}

}  // namespace

AutomaticTuning::AutomaticTuning(engine::Engine& engine, LoaderState& loader)
    : engine_(engine),
      loader_(loader),
      tuner_(loader.plan.start, bounds_of(loader, stop_.get_token())),
      before_(loader.figures()),
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
          note("`tuning.on_move` threw something that is no std::exception");
        }
      })) {}

AutomaticTuning::~AutomaticTuning() {
  stop_.request_stop();
  thread_.join();
}

void AutomaticTuning::note(const char* what) noexcept {
  try {
    loader_.moves.add(concat("tuning ended: ", what));
  } catch (const std::exception&) {
    // There is no memory for the message either.
  }
}

void AutomaticTuning::watch() {
  if (loader_.trace) loader_.trace->has_tuning();
  const auto stop = stop_.get_token();
  while (pause(stop, saturated(loader_.options.tuning.interval))) look();
}

void AutomaticTuning::look() {
  const auto begun = Clock::now();
  auto now = loader_.figures();
  const auto seen = interval(before_, now);
  if (!advice::Tuner::enough(seen)) return;
  before_ = std::move(now);
  const auto move = tuner_.look(seen);
  if (auto* const trace = loader_.trace.get())
    trace->thread(engine::Trace::Of::look, trace->tuning(), begun, Clock::now(), 0);
  if (!move) return;
  auto text = move->reason;
  try {
    engine_.apply(move->to);
  } catch (const std::exception& error) {
    // The next report shows the engine's actual setting, and the tuner sees no effect.
    text += concat(" (not done: ", error.what(), ")");
  }
  const auto index = loader_.moves.add(text);
  if (loader_.trace) loader_.trace->move(loader_.knobs.get().now, index);
  if (loader_.options.tuning.on_move) loader_.options.tuning.on_move(text);
}

}  // namespace weir::api
