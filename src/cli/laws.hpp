#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"

namespace weir::cli {

/// What a soak checks: the laws that can be seen from outside while a loader runs; `determinism`, which
/// a second pass shows; and `attempted`, that every sample was read.
enum class Law : std::uint8_t {
  sum,
  bound,
  peak,
  held,
  conservation,
  queue,
  order,
  determinism,
  progress,
  resume,
  attempted
};
inline constexpr std::size_t law_count = 11;
std::string_view to_string(Law law) noexcept;

struct LawFigures {
  std::uint64_t checks = 0, breaches = 0;
  std::string first_breach;  ///< what was expected and what was seen
};

/// Counts checks and breaches of each law. Any thread.
class LawBook {
 public:
  /// `detail` is called, once, for the first breach of the law.
  template <class Detail>
  bool check(Law law, bool holds, Detail detail) WEIR_EXCLUDES(mutex_) {
    const Lock lock(mutex_);
    auto& figures = figures_[static_cast<std::size_t>(law)];
    ++figures.checks;
    if (!holds && figures.breaches++ == 0) figures.first_breach = detail();
    return holds;
  }

  std::array<LawFigures, law_count> figures() const WEIR_EXCLUDES(mutex_);
  std::uint64_t breaches() const WEIR_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::array<LawFigures, law_count> figures_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::cli
