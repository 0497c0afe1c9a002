#include "engine/time_histogram.hpp"

#include <algorithm>
#include <boost/histogram/accumulators/thread_safe.hpp>
#include <boost/histogram/axis/regular.hpp>
#include <boost/histogram/make_histogram.hpp>
#include <boost/histogram/storage_adaptor.hpp>
#include <cmath>
#include <numeric>

namespace weir::engine {

namespace {

namespace bh = boost::histogram;

constexpr double shortest_s = 1e-8, longest_s = 1e3;
/// ln(1e11) / ln(1.04): the middle of a bin is within 2 % of either edge.
constexpr unsigned bins = 646;

using Axis = bh::axis::regular<double, bh::axis::transform::log, bh::axis::null_type>;
using Storage = bh::dense_storage<bh::accumulators::thread_safe<std::uint64_t>>;
using Histogram = bh::histogram<std::tuple<Axis>, Storage>;

const Axis& axis() {
  static const Axis shared(bins, shortest_s, longest_s);
  return shared;
}

/// In Counts the times below the first bin and above the last one come first and last.
constexpr int below = -1, above = bins;

}  // namespace

struct TimeHistogram::State {
  Histogram counts = bh::make_histogram_with(Storage(), axis());
};

TimeHistogram::TimeHistogram() : state_(std::make_unique<State>()) {}
TimeHistogram::~TimeHistogram() = default;

void TimeHistogram::add(Clock::duration time) noexcept {
  state_->counts(std::max(0.0, seconds(time)));
}

void TimeHistogram::add_to(Counts& counts) const {
  counts.resize(bins + 2);
  for (int bin = below; bin <= above; ++bin) {
    counts[static_cast<std::size_t>(bin - below)] +=
        state_->counts.at(bin).load(std::memory_order_relaxed);
  }
}

std::uint64_t TimeHistogram::total(const Counts& counts) noexcept {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::optional<double> TimeHistogram::at(const Counts& counts, double quantile) {
  const auto all = total(counts);
  if (all == 0) return std::nullopt;
  const auto rank = std::clamp<std::uint64_t>(
      static_cast<std::uint64_t>(std::ceil(quantile * static_cast<double>(all))), 1, all);
  std::uint64_t up_to = 0;
  int bin = below;
  for (const auto count : counts) {
    up_to += count;
    if (up_to >= rank) break;
    ++bin;
  }
  // Beyond the bins the nearest edge is all that is known.
  if (bin == below) return shortest_s;
  if (bin == above) return longest_s;
  return axis().value(bin + 0.5);
}

}  // namespace weir::engine
