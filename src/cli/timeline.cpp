#include "cli/timeline.hpp"

#include <algorithm>

#include "base/pause.hpp"

namespace weir::cli {
namespace {

constexpr std::size_t most_points = 240;
constexpr auto first_interval = std::chrono::milliseconds(50);

}  // namespace

void EvenPoints::add(report::TimelinePoint point) {
  if (points_.size() == most_) {
    // The first point is kept.
    for (std::size_t i = 1; 2 * i < points_.size(); ++i) points_[i] = points_[2 * i];
    points_.resize((points_.size() + 1) / 2);
    interval_ *= 2;
  }
  points_.push_back(point);
}

Timeline::Timeline(const Loader& loader)
    : loader_(loader),
      start_(Clock::now()),
      points_(most_points, first_interval),
      thread_([this](const std::stop_token& stop) {
        try {
          watch(stop);
        } catch (const std::exception&) {
          // Without memory for a point, the timeline ends here.
        }
      }) {}

std::vector<report::TimelinePoint> Timeline::stop() {
  if (!thread_.joinable()) return {};
  thread_.request_stop();
  thread_.join();
  points_.add(look());
  return std::move(points_).take();
}

void Timeline::watch(const std::stop_token& stop) {
  auto due = start_;
  do {
    points_.add(look());
    due = std::max(due + points_.interval(), Clock::now());
  } while (pause(stop, due - Clock::now()));
}

report::TimelinePoint Timeline::look() const {
  const auto now = loader_.snapshot();
  return {.seconds = seconds(Clock::now() - start_),
          .consumed = now.samples.consumed,
          .filling = now.filling,
          .ready = now.ready,
          .leased = now.leased,
          .live = now.memory.live,
          .accounts = now.memory.accounts};
}

}  // namespace weir::cli
