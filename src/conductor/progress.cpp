#include "conductor/progress.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "conductor/intervals.hpp"

namespace weir {
namespace conductor {
namespace {

/// More intervals than the ranks of any job have in an epoch. To merge them takes seconds.
constexpr std::uint64_t most_intervals = 1u << 30;

bool is_finished(const Progress::Epochs& epochs) {
  return epochs.end == 0 || (!epochs.done.empty() && epochs.done.front().first == 0 &&
                             epochs.done.front().end >= epochs.end);
}

bool continues(const Progress::Epochs& a, const Progress::Epochs& b) {
  return a.first + a.count == b.first && a.end == b.end && a.buckets == b.buckets &&
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

void check(const Progress& progress, const std::string& what) {
  const auto wrong = [&](const auto&... why) { refuse(Stage::wait, what, ": ", why...); };
  if (progress.epochs.empty()) wrong("has no epochs");
  std::uint64_t epoch = 0;
  for (const auto& epochs : progress.epochs) {
    const auto number = concat("epoch ", epochs.first);
    if (epochs.first > most_epoch) wrong(number, " is above ", most_epoch);
    if (epochs.first < epoch || epochs.count == 0 || epochs.count > unlimited - epochs.first)
      wrong(number, " is not after the epochs before it");
    epoch = epochs.first + epochs.count;
    if (epochs.end > progress.samples)
      wrong(number, " ends at ", epochs.end, " of ", progress.samples, " samples");
    const auto& [rows, batches, sizes] = epochs.buckets;
    if (rows > add_sat(progress.samples, 1))
      wrong(number, " has bucket_rows ", rows, " of ", progress.samples, " samples");
    if ((rows == 0) != (batches == 0))
      wrong(number, " has bucket_rows ", rows, " and bucket_batches ", batches);
    std::uint64_t before = 0;
    for (const auto& run : epochs.done) {
      const auto last = add_sat(run.end, mul_sat(run.times - 1, run.distance));
      if (run.times == 0 || run.first >= run.end ||
          (run.times > 1 && run.distance <= run.end - run.first))
        wrong(number, " has an impossible run of positions, ", run.first, " to ", run.end);
      if (run.first < before)
        wrong(number, " has position ", run.first, " after position ", before - 1,
              "; positions must be ascending");
      if (last > epochs.end)
        wrong(number, " has position ", last - 1, ", but it ends at ", epochs.end);
      before = last;
    }
  }
}

void check_same(const Progress& saved, const Progress& present, const std::string& what,
                const std::string& here) {
  const auto same = [&](const char* field, const std::string& before, const std::string& now) {
    if (before != now)
      refuse(Stage::wait, what, ": ", field, " is ", sanitize(before), "; ", here, " it is ",
             sanitize(now));
  };
  same("samples", std::to_string(saved.samples), std::to_string(present.samples));
  same("seed", std::to_string(saved.seed), std::to_string(present.seed));
  same("order", saved.order, present.order);
  same("fingerprint", saved.fingerprint, present.fingerprint);
}

void check_buckets(const Progress& saved, const Progress::Buckets& present, const std::string& what,
                   const std::string& here) {
  for (const auto& epochs : saved.epochs) {
    const auto differ = [&](const auto&... how) {
      refuse(Stage::wait, what, ": epoch ", epochs.first, " is partly finished with ", how...,
             ", or resume a state from the end of an epoch");
    };
    if (epochs.done.empty()) continue;
    const auto& buckets = epochs.buckets;
    if (buckets.batches != present.batches)
      differ("`sizes.bucket_batches` = ", buckets.batches, "; ", here, " it is ", present.batches,
             "; use ", buckets.batches);
    if (buckets.sizes != present.sizes)
      differ("size buckets of images of other sizes; use the same files, size bound and limits");
  }
}

void check_epochs(const Progress& saved, std::optional<std::uint64_t> epochs,
                  const std::string& what) {
  if (!epochs) return;
  const auto& first = saved.epochs.front();
  // A job that is started once more after its end has nothing to do. But nobody need have chosen the
  // default, 1.
  const bool at_end = first.first == *epochs && first.done.empty() && saved.epochs.size() == 1;
  if (first.first < *epochs || (at_end && *epochs != 1)) return;
  refuse(Stage::wait, what, ": nothing is left: the first unfinished epoch is ", first.first,
         ", counted from 0, and `StreamOptions::epochs` = ", *epochs,
         " counts from the beginning of the training; set `StreamOptions::epochs` = ",
         first.first + 1, " or more, or `std::nullopt`");
}

}  // namespace conductor

Progress Progress::merge(std::span<const Progress> states) {
  if (states.empty()) refuse(Stage::wait, "Progress::merge: needs at least one state");
  Progress merged = states.front();
  std::uint64_t first = 0, intervals = 0;
  std::vector<std::uint64_t> bounds;
  for (const auto& state : states) {
    conductor::check(state, "Progress::merge");
    conductor::check_same(state, merged, "Progress::merge", "in the first state");
    first = std::max(first, state.epochs.front().first);
    for (const auto& epochs : state.epochs) {
      bounds.push_back(epochs.first);
      bounds.push_back(epochs.first + epochs.count);
      for (const auto& run : epochs.done) intervals = add_sat(intervals, run.times);
    }
  }
  if (states.size() > 1 && intervals > conductor::most_intervals)
    refuse(Stage::wait, "Progress::merge: the states have ", intervals, " intervals, more than ",
           conductor::most_intervals);
  std::ranges::sort(bounds);
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  bounds.erase(bounds.begin(), std::ranges::lower_bound(bounds, first));
  merged.epochs.clear();
  std::vector<std::size_t> next(states.size());  // of each state: its epochs that are not behind
  std::vector<std::span<const Run>> done;
  // Between two bounds, no state changes from one epoch to the next.
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    Epochs joint{.first = bounds[i], .count = bounds[i + 1] - bounds[i], .end = merged.samples};
    done.clear();
    for (std::size_t s = 0; s < states.size(); ++s) {
      const auto& listed = states[s].epochs;
      const auto behind = [&](const Epochs& each) {
        return each.first + each.count <= joint.first;
      };
      while (next[s] < listed.size() && behind(listed[next[s]])) ++next[s];
      if (next[s] == listed.size() || listed[next[s]].first > joint.first) continue;
      const auto& epochs = listed[next[s]];
      joint.end = std::min(joint.end, epochs.end);
      if (epochs.done.empty()) continue;
      if (!done.empty() && epochs.buckets != joint.buckets)
        refuse(Stage::wait, "Progress::merge: the states have different size buckets of epoch ",
               joint.first);
      joint.buckets = epochs.buckets;
      done.emplace_back(epochs.done);
    }
    joint.done = conductor::joined(done, joint.end);
    if (!joint.done.empty() || joint.end < merged.samples)
      merged.epochs.push_back(std::move(joint));
  }
  merged.epochs = conductor::unfinished(std::move(merged.epochs), first, merged.samples);
  return merged;
}

}  // namespace weir
