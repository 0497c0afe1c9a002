#include "cli/recent.hpp"

namespace weir::cli {
namespace {

// A report makes system calls, so it is not taken for every line.
constexpr auto between_looks = std::chrono::seconds(1), span = std::chrono::seconds(5);

}  // namespace

bool Recent::due(Instant now) const {
  return seen_.empty() || now - seen_.back().when >= between_looks;
}

void Recent::add(const Report& report, Instant now) {
  seen_.push_back({report, now});
  while (seen_.size() > 2 && now - seen_[1].when >= span) seen_.pop_front();
}

std::optional<Interval> Recent::interval() const {
  if (seen_.empty()) return std::nullopt;
  auto recent = seen_.size() == 1 ? weir::interval(seen_.back().report)
                                  : weir::interval(seen_.front().report, seen_.back().report);
  if (recent.seconds <= 0) return std::nullopt;
  return recent;
}

}  // namespace weir::cli
