#include "source/delayed.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/pause.hpp"
#include "base/random.hpp"

namespace weir::source {
namespace {

/// A longer sleep may overflow, and a log-normal distribution has no upper bound.
constexpr double longest_ms = 24.0 * 3600 * 1000;
/// Separates these draws from those of orders and crops, which use the same seed.
constexpr std::uint64_t delays = 0x64656c6179;

class SlowSink final : public ByteSink {
 public:
  SlowSink(ByteSink& inner, ReadDelay::Milliseconds delay, const std::stop_token& stop) noexcept
      : inner_(inner), delay_(delay), stop_(stop) {}
  std::optional<std::span<std::byte>> try_take(std::size_t bytes) override {
    const auto memory = inner_.try_take(bytes);
    if (memory) wait();
    return memory;
  }
  bool wants(std::size_t plane) const noexcept override { return inner_.wants(plane); }
  bool wants_annotation() const noexcept override { return inner_.wants_annotation(); }
  bool may_lack(std::size_t plane, const SampleError& why) override {
    return inner_.may_lack(plane, why);
  }
  void wait() {
    if (!std::exchange(waited_, true))
      pause(stop_, std::chrono::duration_cast<Clock::duration>(delay_));
  }

 private:
  ByteSink& inner_;
  const ReadDelay::Milliseconds delay_;
  const std::stop_token& stop_;
  bool waited_ = false;
};

/// Forwards every call to the wrapped source, except reads.
class Delayed : public AnySource {
 public:
  Delayed(AnySource source, const ReadDelay& delay, std::stop_token stop)
      : AnySource(std::move(source)), delay_(delay), stop_(std::move(stop)) {}

  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    SlowSink slow(sink, delay_.of(i), stop_);
    const auto encoded = AnySource::try_read(i, slow);
    if (encoded) slow.wait();  // a source that owns its bytes takes none
    return encoded;
  }

 private:
  ReadDelay delay_;
  std::stop_token stop_;
};
static_assert(Source<Delayed>);

}  // namespace

ReadDelay::ReadDelay(double mean, double deviation, std::uint64_t seed) noexcept
    : mean_(mean), seed_(seed) {
  if (!(deviation > 0)) return;
  // From the moments of a log-normal distribution: mean = exp(mu + sigma^2 / 2), variance / mean^2
  // = exp(sigma^2) - 1.
  const double ratio = deviation / mean;
  sigma_ = std::sqrt(std::log1p(ratio * ratio));
  mu_ = std::log(mean) - sigma_ * sigma_ / 2;
}

ReadDelay::Milliseconds ReadDelay::of(std::uint64_t index) const noexcept {
  if (sigma_ == 0) return Milliseconds(mean_);
  RandomStream random(mix_key({seed_, index, delays}));
  // Box and Muller, "A Note on the Generation of Random Normal Deviates" (1958). 1 - u is above 0.
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  const double normal = radius * std::cos(2 * std::numbers::pi * random.uniform());
  return Milliseconds(std::min(std::exp(mu_ + sigma_ * normal), longest_ms));
}

AnySource delayed(AnySource source, const ReadDelay& delay, std::stop_token stop) {
  return Delayed(std::move(source), delay, std::move(stop));
}

}  // namespace weir::source
