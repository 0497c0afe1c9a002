#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "weir/profile.hpp"

namespace weir::report {

/// One thing that a profile watches, with a peak of its own.
class Watched {
 public:
  virtual ~Watched() = default;
  virtual MemoryUse read() const = 0;
  /// read(), and peaks := now, with nothing between.
  virtual MemoryUse take() = 0;
};
std::unique_ptr<Watched> watched(const MemoryLedger& ledger);
std::unique_ptr<Watched> watched(const CountingResource& memory);

/// What a MemoryProfile knows. The contract is that of its public face. Any thread.
class ProfileState {
 public:
  explicit ProfileState(std::size_t max_steps) noexcept : max_steps_(max_steps) {}

  void watch(std::string name, std::unique_ptr<Watched> one);
  void begin_step();
  void begin_phase(std::string name);
  void end_phase();
  /// Ends the phase without figures of its own.
  void abandon_phase() noexcept;

  std::vector<std::string> names() const;
  std::vector<StepUse> steps() const;
  std::uint64_t steps_begun() const noexcept;

 private:
  /// Peaks since the last boundary of a phase or step, begun anew.
  PhaseUse look() WEIR_REQUIRES(mutex_);
  bool keeps_step() const noexcept WEIR_REQUIRES(mutex_);
  StepUse& step() WEIR_REQUIRES(mutex_);

  mutable Mutex mutex_;
  const std::size_t max_steps_;
  std::vector<std::string> names_ WEIR_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Watched>> watched_ WEIR_GUARDED_BY(mutex_);
  std::vector<StepUse> steps_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t steps_begun_ WEIR_GUARDED_BY(mutex_) = 0;
  std::string open_ WEIR_GUARDED_BY(mutex_);  ///< name of the open phase; empty: none
  bool high_water_is_ours_ WEIR_GUARDED_BY(mutex_) = false;  ///< it was reset at the last boundary
};

}  // namespace weir::report
