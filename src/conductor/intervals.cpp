#include "conductor/intervals.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace weir::conductor {
namespace {

/// How many intervals of the run begin before `end`, which is above its first number.
std::uint64_t times_before(const Progress::Run& run, std::uint64_t end) noexcept {
  return run.times == 1 ? 1 : std::min(run.times, (end - 1 - run.first) / run.distance + 1);
}

/// `times` is less than those of the run.
Progress::Run without_first(const Progress::Run& run, std::uint64_t times) noexcept {
  auto rest = interval_of(run, times);
  rest.distance = run.distance;
  rest.times = run.times - times;
  return rest;
}

}  // namespace

void RunMaker::close() {
  const auto [first, end] = std::exchange(open_, Interval{});
  if (first == end) return;
  if (!runs_.empty()) {
    auto& run = runs_.back();
    const auto distance = first - (run.first + (run.times - 1) * run.distance);
    if (end - first == length_of(run) && (run.times == 1 || distance == run.distance)) {
      run.distance = distance;
      ++run.times;
      return;
    }
  }
  runs_.push_back({first, end, 0, 1});
}

void RunMaker::add(Interval next) {
  next.end = std::min(next.end, end_);
  if (next.first >= next.end) return;
  if (open_.first < open_.end && next.first <= open_.end) {
    open_.end = std::max(open_.end, next.end);
    return;
  }
  close();
  open_ = next;
}

void RunMaker::add(Progress::Run run) {
  if (run.first >= run.end || run.first >= end_) return;
  run.times = times_before(run, end_);
  if (run.end <= open_.end) {
    // The open interval has them already.
    const auto there = times_before(run, open_.end - (run.end - run.first) + 1);
    if (there == run.times) return;
    run = without_first(run, there);
  }
  const auto add_one = [&](std::uint64_t nth) {
    const auto one = interval_of(run, nth);
    add(Interval{one.first, one.end});
  };
  // The first may touch the open interval. After the third, the last run has this distance.
  constexpr std::uint64_t singly = 4;
  for (std::uint64_t i = 0; i < std::min(run.times, singly); ++i) add_one(i);
  if (run.times <= singly) return;
  close();
  runs_.back().times += run.times - singly - 1;
  add_one(run.times - 1);
}

Runs RunMaker::take() && {
  close();
  return std::move(runs_);
}

Runs joined(std::span<const std::span<const Progress::Run>> sets, std::uint64_t end) {
  struct Cursor {
    Progress::Run run;  ///< what is left of it
    std::span<const Progress::Run> later;
  };
  const auto after = [](const Cursor& a, const Cursor& b) { return a.run.first > b.run.first; };
  std::vector<Cursor> cursors;
  for (const auto& set : sets)
    if (!set.empty()) cursors.push_back({set.front(), set.subspan(1)});
  std::ranges::make_heap(cursors, after);
  RunMaker all(end);
  while (!cursors.empty()) {
    if (all.size() > most_runs)
      refuse(Stage::wait, "progress: the finished positions are more than ", most_runs, " runs");
    std::ranges::pop_heap(cursors, after);
    auto& [run, later] = cursors.back();
    const bool alone = cursors.size() == 1;
    auto next = run;
    next.times = alone ? run.times : times_before(run, add_sat(cursors.front().run.first, 1));
    all.add(next);
    if (next.times < run.times) {
      run = without_first(run, next.times);
    } else if (!later.empty()) {
      run = later.front();
      later = later.subspan(1);
    } else {
      cursors.pop_back();
      continue;
    }
    std::ranges::push_heap(cursors, after);
  }
  return std::move(all).take();
}

Runs without(std::uint64_t end, std::span<const Progress::Run> set) {
  RunMaker rest(end);
  std::uint64_t from = 0;
  for (const auto& run : set) {
    rest.add(Interval{from, run.first});
    if (run.times > 1) rest.add({run.end, run.first + run.distance, run.distance, run.times - 1});
    from = interval_of(run, run.times - 1).end;
  }
  rest.add(Interval{from, end});
  return std::move(rest).take();
}

}  // namespace weir::conductor
