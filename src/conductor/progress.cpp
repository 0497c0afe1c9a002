#include "conductor/progress.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "conductor/intervals.hpp"

namespace weir {
namespace conductor {
namespace {

/// More intervals than any job has. They need 96 MiB.
constexpr std::uint64_t most_intervals = 1u << 22;

bool is_finished(const Progress::Epochs& epochs) {
  const auto done = intervals_of(epochs.done);
  return epochs.end == 0 ||
         (!done.empty() && done.front().first == 0 && done.front().end >= epochs.end);
}

bool continues(const Progress::Epochs& a, const Progress::Epochs& b) {
  return a.first + a.count == b.first && a.end == b.end && a.bucket_rows == b.bucket_rows &&
         a.done == b.done;
}

}  // namespace

std::vector<Progress::Epochs> unfinished(std::vector<Progress::Epochs> epochs, std::uint64_t first,
                                         std::uint64_t samples) {
  std::vector<Progress::Epochs> left;
  for (auto& next : epochs) {
    if (left.empty() && next.first <= first && is_finished(next))
      first = std::max(first, next.first + next.count);
    else if (!left.empty() && continues(left.back(), next))
      left.back().count += next.count;
    else
      left.push_back(std::move(next));
  }
  // An unfinished epoch is in front, although nothing of it is listed.
  if (left.empty() || left.front().first > first)
    left.insert(left.begin(), {.first = first, .count = 1, .end = samples});
  return left;
}

std::vector<Progress::Epochs> from_epoch(std::vector<Progress::Epochs> epochs, std::uint64_t first,
                                         std::uint64_t samples) {
  std::erase_if(epochs, [&](const auto& each) { return each.first + each.count <= first; });
  if (!epochs.empty() && epochs.front().first < first) {
    epochs.front().count -= first - epochs.front().first;
    epochs.front().first = first;
  }
  return unfinished(std::move(epochs), first, samples);
}

void check(const Progress& progress, const std::string& what) {
  const auto wrong = [&](const auto&... why) { refuse(Stage::wait, what, ": ", why...); };
  if (progress.epochs.empty()) wrong("has no epochs");
  std::uint64_t epoch = 0, intervals = 0;
  for (const auto& epochs : progress.epochs) {
    const auto number = concat("epoch ", epochs.first);
    if (epochs.first < epoch || epochs.count == 0 || epochs.count > unlimited - epochs.first)
      wrong(number, " is not after the epochs before it");
    epoch = epochs.first + epochs.count;
    if (epochs.end > progress.samples)
      wrong(number, " ends at ", epochs.end, " of ", progress.samples, " samples");
    for (const auto& run : epochs.done) {
      intervals = add_sat(intervals, run.times);
      if (intervals > most_intervals) wrong("has more than ", most_intervals, " intervals");
      const auto last = add_sat(run.end, mul_sat(run.times - 1, run.distance));
      if (run.times == 0 || run.first >= run.end || last > progress.samples ||
          (run.times > 1 && run.distance <= run.end - run.first))
        wrong(number, " has an impossible run of positions, ", run.first, " to ", run.end);
    }
  }
}

void check_same(const Progress& saved, const Progress& present, const std::string& what,
                const std::string& here) {
  const auto same = [&](const char* field, const std::string& before, const std::string& now) {
    if (before != now)
      refuse(Stage::wait, what, ": ", field, " is ", before, "; ", here, " it is ", now);
  };
  same("samples", std::to_string(saved.samples), std::to_string(present.samples));
  same("seed", std::to_string(saved.seed), std::to_string(present.seed));
  same("order", saved.order, present.order);
  same("fingerprint", saved.fingerprint, present.fingerprint);
}

}  // namespace conductor

Progress Progress::merge(std::span<const Progress> states) {
  if (states.empty()) refuse(Stage::wait, "Progress::merge: needs at least one state");
  Progress merged = states.front();
  std::uint64_t first = 0;
  std::set<std::uint64_t> bounds;
  for (const auto& state : states) {
    conductor::check(state, "Progress::merge");
    conductor::check_same(state, merged, "Progress::merge", "in the first state");
    first = std::max(first, state.epochs.front().first);
    for (const auto& epochs : state.epochs) {
      bounds.insert(epochs.first);
      bounds.insert(epochs.first + epochs.count);
    }
  }
  merged.epochs.clear();
  // Between two bounds, no state changes from one epoch to the next.
  bounds.erase(bounds.begin(), bounds.lower_bound(first));
  for (auto bound = bounds.begin(); bound != bounds.end() && std::next(bound) != bounds.end();
       ++bound) {
    Epochs joint{.first = *bound, .count = *std::next(bound) - *bound, .end = merged.samples};
    conductor::Intervals done;
    for (const auto& state : states)
      for (const auto& epochs : state.epochs) {
        if (epochs.first > *bound || epochs.first + epochs.count <= *bound) continue;
        joint.end = std::min(joint.end, epochs.end);
        joint.bucket_rows = std::max(joint.bucket_rows, epochs.bucket_rows);
        const auto more = conductor::intervals_of(epochs.done);
        done.insert(done.end(), more.begin(), more.end());
      }
    joint.done = conductor::runs_of(conductor::joined(std::move(done)));
    if (!joint.done.empty()) merged.epochs.push_back(std::move(joint));
  }
  merged.epochs = conductor::unfinished(std::move(merged.epochs), first, merged.samples);
  return merged;
}

}  // namespace weir
