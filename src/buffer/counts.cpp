#include "buffer/counts.hpp"

#include <algorithm>

namespace weir::buffer {

std::size_t Counts::account(std::string_view name) {
  Lock lock(mutex_);
  const auto found = std::ranges::find(names_, name);
  if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  // Everything that may throw is done first.
  std::string made(name);
  names_.reserve(names_.size() + 1);
  bytes_.add_part();
  names_.push_back(std::move(made));
  return names_.size() - 1;
}

}  // namespace weir::buffer
