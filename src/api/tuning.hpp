#pragma once

#include <functional>
#include <stop_token>
#include <thread>

#include "advice/tuner.hpp"
#include "engine/engine.hpp"
#include "weir/report.hpp"

namespace weir::api {

/// The thread behind Tuning::automatic for one stream. It reads the loader's report at intervals
/// and changes the engine's setting as the tuner decides. Must be destroyed before the engine.
class AutomaticTuning {
 public:
  /// `figures` returns the loader's figures at the moment of the call. Throws std::system_error if
  /// the thread cannot start.
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
  std::stop_source stop_;  ///< also ends an evaluation that is under way
  advice::Tuner tuner_;
  Report before_;  ///< report at the start of the current interval
  std::thread thread_;
};

}  // namespace weir::api
