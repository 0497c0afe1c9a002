#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "weir/advice.hpp"

namespace weir::advice {

/// Decides the moves of Tuning::automatic from intervals alone, without threads or clocks. It gets
/// its goal from advise() and moves one knob at a time towards it. The second interval after a move
/// decides: if throughput or readiness fell, the move is reverted and that knob stays fixed for
/// this goal. At the goal it rests until the times of reads, decodes or the consumer are not those
/// that the goal was computed from, or until an interval has many more samples than that one had. Each
/// goal takes at most two moves per knob. With a steady workload the goal changes only while intervals
/// grow fourfold.
///
/// It holds still where moves undo each other. A knob that had to be increased again after a
/// decrease is not decreased any more, and a knob whose increase was reverted twice is not increased
/// any more. So a workload that alternates ends at a setting that serves all of its phases.
class Tuner {
 public:
  Tuner(const Setting& start, const AdviceOptions& bounds);

  struct Move {
    Setting to;
    std::string reason;  ///< a sentence with the knob, both values and the reason
  };
  /// Whether the interval has enough samples for a decision. If not, extend the interval. A loader that
  /// is much too slow delivers few batches, so after two seconds one batch is enough.
  static bool enough(const Interval& seen) noexcept;
  /// Decides the next move. `seen` is the time since the last call, under setting(). setting()
  /// includes the returned move.
  std::optional<Move> look(const Interval& seen);
  const Setting& setting() const noexcept { return setting_; }

 private:
  enum class Phase : std::uint8_t {
    resting,   ///< at the goal, until the workload changes
    heading,   ///< moving towards goal_
    settling,  ///< first interval after a move, which overlaps the time before it
    judging    ///< second interval after a move, which decides
  };
  /// Mean times per sample of reads, decodes and the consumer, in seconds.
  struct Load {
    double read = 0, decode = 0, consumer = 0;
  };
  struct Trial {
    std::size_t knob = 0;
    Setting from{};
    double samples_per_s = 0, data_readiness = 0;  ///< values before the move
    bool rough = false;                            ///< these values are of few batches
  };

  static Load load_of(const Interval& seen) noexcept;
  /// Whether the loads differ for a loader with this setting. A change of a small load does not
  /// count.
  bool differs(const Load& a, const Load& b) const noexcept;
  void ask(const Interval& seen);
  std::optional<Move> take_back(const Interval& seen);
  std::optional<Move> step(const Interval& seen);

  Setting setting_;
  const AdviceOptions bounds_;
  Phase phase_ = Phase::heading;
  std::optional<Prediction> goal_;
  Trial trial_;
  /// What the moves of one knob have shown so far.
  struct Past {
    bool refused = false;        ///< a move was reverted, for this goal
    bool decreased = false;      ///< its last move was a decrease
    bool keeps = false;          ///< a decrease was undone: it is not decreased any more
    std::uint32_t reverted = 0;  ///< increases that were reverted
  };
  /// Whether the knob may move in that direction.
  static bool may_move(const Past& past, bool up) noexcept;
  std::array<Past, 3> past_{};
  Load assumed_;  ///< of the interval that goal_ was computed from
  std::uint64_t assumed_samples_ = 0;
  std::uint32_t changed_ = 0;  ///< consecutive intervals that differ from assumed_
};

}  // namespace weir::advice
