#include "cli/laws.hpp"

namespace weir::cli {

std::string_view to_string(Law law) noexcept {
  constexpr std::array<std::string_view, law_count> names{
      "sum",   "bound",       "peak",     "held",   "conservation", "queue",
      "order", "determinism", "progress", "resume", "attempted"};
  return names[static_cast<std::size_t>(law)];
}

std::array<LawFigures, law_count> LawBook::figures() const {
  const Lock lock(mutex_);
  return figures_;
}

std::uint64_t LawBook::breaches() const {
  const Lock lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& figures : figures_) sum += figures.breaches;
  return sum;
}

}  // namespace weir::cli
