#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "weir/profile.hpp"

namespace weir::report {

/// What a thing watched holds and held since its peak was last begun; `begin`: begins it anew.
using Watched = std::function<MemoryUse(bool begin)>;

/// What a MemoryProfile knows. The contract is that of its public face. Any thread.
class ProfileState {
 public:
  explicit ProfileState(std::size_t max_steps) noexcept : max_steps_(max_steps) {}

  void watch(std::string name, Watched one);
  void begin_step();
  void begin_phase(std::string name);
  void end_phase();
  /// Ends the phase without figures of its own.
  void abandon_phase() noexcept;

  std::vector<std::string> names() const;
  std::vector<StepUse> steps() const;
  std::uint64_t steps_begun() const noexcept;

 private:
  /// Peaks since the last boundary of a phase or step.
  PhaseUse look(bool begin) const WEIR_REQUIRES(mutex_);
  /// look(), and the peaks are begun anew.
  PhaseUse take() WEIR_REQUIRES(mutex_);
  bool keeps_step() const noexcept WEIR_REQUIRES(mutex_);
  StepUse& step() WEIR_REQUIRES(mutex_);

  mutable Mutex mutex_;
  const std::size_t max_steps_;
  std::vector<std::string> names_ WEIR_GUARDED_BY(mutex_);
  std::vector<Watched> watched_ WEIR_GUARDED_BY(mutex_);
  std::vector<StepUse> steps_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t steps_begun_ WEIR_GUARDED_BY(mutex_) = 0;
  std::string open_ WEIR_GUARDED_BY(mutex_);  ///< name of the open phase; empty: none
  bool high_water_is_ours_ WEIR_GUARDED_BY(mutex_) = false;  ///< it was reset at the last boundary
};

}  // namespace weir::report
