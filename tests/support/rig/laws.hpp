#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.hpp"
#include "base/terms.hpp"

namespace weir::test {

/// The laws that hold at every moment, as a test outside the library checks them. `attempted` says that
/// every sample was read as often as it was drawn.
enum class Law : std::uint8_t {
  sum,
  bound,
  peak,
  held,
  conservation,
  partners,
  queue,
  order,
  progress,
  resume,
  attempted
};
inline constexpr std::size_t law_count = 11;
constexpr std::string_view to_string(Law law) noexcept {
  return name_of(law, {"sum", "bound", "peak", "held", "conservation", "partners", "queue", "order",
                       "progress", "resume", "attempted"});
}
/// The law with this name.
inline Law law_named(std::string_view name) {
  for (std::size_t i = 0; i < law_count; ++i)
    if (const auto law = static_cast<Law>(i); to_string(law) == name) return law;
  throw std::invalid_argument("no such law: " + std::string(name));
}

struct LawFigures {
  std::uint64_t checks = 0, breaches = 0;
  std::string first_breach;  ///< the expected and the observed values
};

/// Counts checks and breaches of each law. Any thread.
class LawBook {
 public:
  /// `breach` is formatted only for the first breach of the law.
  template <class... T>
  bool check(Law law, bool holds, fmt::format_string<T...> breach, T&&... seen)
      WEIR_EXCLUDES(mutex_) {
    const Lock lock(mutex_);
    auto& figures = figures_[static_cast<std::size_t>(law)];
    ++figures.checks;
    if (!holds && figures.breaches++ == 0)
      figures.first_breach = fmt::format(breach, std::forward<T>(seen)...);
    return holds;
  }

  std::array<LawFigures, law_count> figures() const WEIR_EXCLUDES(mutex_) {
    const Lock lock(mutex_);
    return figures_;
  }
  std::uint64_t breaches() const WEIR_EXCLUDES(mutex_) {
    std::uint64_t sum = 0;
    for (const auto& of_law : figures()) sum += of_law.breaches;
    return sum;
  }

 private:
  mutable Mutex mutex_;
  std::array<LawFigures, law_count> figures_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::test
