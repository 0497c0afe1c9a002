#pragma once

#include <functional>
#include <stop_token>
#include <thread>

#include "engine/engine.hpp"
#include "plan/tuner.hpp"
#include "weir/report.hpp"

namespace weir::api {

/// Tuning::automatic at work on one stream: a thread that looks at the loader's figures now and then
/// and moves the engine's knobs as the tuner says. Dies before the engine.
class AutomaticTuning {
 public:
  /// `figures`: the loader's report as it is now. Throws std::system_error where the thread cannot
  /// start.
  AutomaticTuning(engine::Engine& engine, engine::Core& core, const TuningOptions& options,
                  std::function<Report()> figures);
  ~AutomaticTuning();
  AutomaticTuning(const AutomaticTuning&) = delete;
  AutomaticTuning& operator=(const AutomaticTuning&) = delete;

 private:
  void watch();
  void look();
  void note(const char* what) noexcept;

  engine::Engine& engine_;
  engine::Core& core_;
  const TuningOptions options_;
  const std::function<Report()> figures_;
  plan::Tuner tuner_;
  Report before_;  ///< where the window under way begins
  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace weir::api
