#include "source/sampler.hpp"

#include "base/random.hpp"

namespace weir::source {
namespace {

// Each use has its own key space, so no two uses draw the same stream.
enum class Use : std::uint64_t { order, replacement, draw };

std::uint64_t key(Use use, std::uint64_t seed, std::uint64_t epoch,
                  std::uint64_t position) noexcept {
  return mix_key({static_cast<std::uint64_t>(use), seed, epoch, position});
}

}  // namespace

Sampler::Sampler(std::uint64_t size, bool shuffle, std::uint64_t seed) noexcept
    : all_(size), others_(size > 0 ? size - 1 : 0), seed_(seed), shuffle_(shuffle) {}

std::uint64_t Sampler::index(std::uint64_t epoch, std::uint64_t position) const noexcept {
  return shuffle_ ? all_(key(Use::order, seed_, epoch, 0), position) : position;
}

std::uint64_t Sampler::replacement_of(std::uint64_t failed, std::uint64_t epoch,
                                      std::uint64_t position,
                                      std::uint32_t attempt) const noexcept {
  if (others_.size() == 0) return failed;
  const auto step = (attempt - std::uint64_t{1}) % others_.size();
  const auto distance = 1 + others_(key(Use::replacement, seed_, epoch, position), step);
  return failed >= size() - distance ? failed - (size() - distance) : failed + distance;
}

std::uint64_t Sampler::draw(std::uint64_t epoch, std::uint64_t position) const noexcept {
  return key(Use::draw, seed_, epoch, position);
}

}  // namespace weir::source
