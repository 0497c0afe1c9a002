#include "support/rig/attempts.hpp"

#include "base/checked.hpp"
#include "source/sampler.hpp"

namespace weir::test {
namespace {

/// How often each sample is drawn in the first `epochs` epochs.
std::vector<std::uint64_t> draws_of(const source::Sampler& sampler, const Order& order,
                                    std::uint64_t epochs) {
  if (source::draws_all(order.kind)) return std::vector(sampler.samples(), epochs);
  std::vector<std::uint64_t> draws(sampler.samples());
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch)
    for (source::Position position; position < sampler.end(); ++position)
      ++draws[sampler.index(epoch, position)];
  return draws;
}

}  // namespace

void check_attempts(const Attempts& attempts, const Options& options, std::uint64_t epochs,
                    const Report& did, LawBook& book) {
  const source::Sampler sampler(attempts.size(), options.order, options.seed);
  const auto draws = draws_of(sampler, options.order, epochs);
  const auto hits = did.cache.hits, all = mul_sat(sampler.positions(), epochs);
  book.check(Law::attempted, attempts.total() + hits >= all,
             "{} draws, with {} reads and {} hits of the cache", all, attempts.total(), hits);
  std::uint64_t too_few = 0, undrawn = 0;
  for (std::uint64_t i = 0; i < attempts.size(); ++i) {
    // A sample that the cache delivered needed only one read.
    const auto least = hits > 0 ? std::min<std::uint64_t>(draws[i], 1) : draws[i];
    too_few += attempts.of(i) < least;
    undrawn += draws[i] == 0 && attempts.of(i) > 0;
  }
  book.check(Law::attempted, too_few == 0,
             "{} of {} files were read less often than they were drawn in {} epochs", too_few,
             attempts.size(), epochs);
  if (did.fault_count == 0)
    book.check(Law::attempted, undrawn == 0, "{} of {} files were read and not drawn", undrawn,
               attempts.size());
}

}  // namespace weir::test
