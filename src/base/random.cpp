#include "weir/random.hpp"

#include <Random123/philox.h>

#include <cmath>

#include "base/random.hpp"

namespace weir {

void Random::refill() noexcept {
  const auto& [block, position, epoch, attempt] = counter_;
  const auto drawn = r123::Philox4x64()({{block, position, epoch, attempt}}, {{seed_, 0}});
  for (std::size_t i = 0; i < block_.size(); ++i) block_[i] = drawn[i];
  ++counter_[0];
  used_ = 0;
}

double Random::uniform() noexcept { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

double Random::uniform(double low, double high) noexcept {
  const double value = low + (high - low) * uniform();
  // The sum is rounded, perhaps to `high`.
  return low < high && value >= high ? std::nextafter(high, low) : value;
}

std::uint64_t Random::below(std::uint64_t n) noexcept { return scaled_below((*this)(), n); }

}  // namespace weir
