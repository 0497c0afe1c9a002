#include "cli/recent.hpp"

namespace weir::cli {
namespace {

using std::chrono::seconds;

// A report asks the kernel about the process: not ten times a second.
constexpr auto between_looks = seconds(1), span = seconds(5);

}  // namespace

bool Recent::due(Instant now) const {
  return seen_.empty() || now - seen_.back().when >= between_looks;
}

void Recent::add(const Report& report, Instant now) {
  seen_.push_back({report, now});
  while (seen_.size() > 2 && now - seen_[1].when >= span) seen_.pop_front();
}

std::optional<Window> Recent::window() const {
  if (seen_.empty()) return std::nullopt;
  auto recent = seen_.size() == 1 ? weir::window(seen_.back().report)
                                  : weir::window(seen_.front().report, seen_.back().report);
  if (recent.seconds <= 0) return std::nullopt;
  return recent;
}

}  // namespace weir::cli
