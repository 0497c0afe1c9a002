#pragma once

#include <stop_token>
#include <thread>

#include "advice/tuner.hpp"
#include "api/open_loader.hpp"
#include "engine/engine.hpp"
#include "weir/report.hpp"

namespace weir::api {

/// The thread behind Tuning::automatic for one stream. It reads the loader's report at intervals
/// and changes the engine's setting as the tuner decides. Must be destroyed before the engine.
class AutomaticTuning {
 public:
  /// Throws std::system_error if the thread cannot start.
  AutomaticTuning(engine::Engine& engine, LoaderState& loader);
  ~AutomaticTuning();
  AutomaticTuning(const AutomaticTuning&) = delete;
  AutomaticTuning& operator=(const AutomaticTuning&) = delete;

 private:
  void watch();
  void look();
  void note(const char* what) noexcept;

  engine::Engine& engine_;
  LoaderState& loader_;
  std::stop_source stop_;  ///< also ends an evaluation that is under way
  advice::Tuner tuner_;
  Report before_;  ///< report at the start of the current interval
  std::thread thread_;
};

}  // namespace weir::api
