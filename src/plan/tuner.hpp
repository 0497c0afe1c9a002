#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "weir/advice.hpp"

namespace weir::plan {

/// Decides the moves of Tuning::automatic from windows alone, without threads or clocks. It gets
/// its goal from advise() and moves one knob at a time towards it. The second window after a move
/// decides: if throughput or readiness fell, the move is reverted and that knob stays fixed for
/// this goal. At the goal it rests until the times of reads, decodes or the consumer change. So
/// with a steady workload it rests after at most two moves per knob.
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
  /// Whether the window has enough samples for a decision. If not, extend the window.
  static bool enough(const Window& seen) noexcept;
  /// Decides the next move. `seen` is the time since the last call, under setting(). setting()
  /// includes the returned move.
  std::optional<Move> look(const Window& seen);
  const Setting& setting() const noexcept { return setting_; }

 private:
  enum class Phase : std::uint8_t {
    resting,   ///< at the goal, until the workload changes
    heading,   ///< moving towards goal_
    settling,  ///< first window after a move, which overlaps the time before it
    judging    ///< second window after a move, which decides
  };
  /// Seconds per sample for each station. A change of a small load does not count.
  struct Load {
    double read = 0, decode = 0, consumer = 0;
  };
  struct Trial {
    std::size_t knob = 0;
    Setting from{};
    double samples_per_s = 0, data_readiness = 0;  ///< values before the move
  };

  static Load load_of(const Window& seen, const Setting& setting) noexcept;
  static bool differs(const Load& a, const Load& b) noexcept;
  void ask(const Window& seen);
  std::optional<Move> take_back(const Window& seen);
  std::optional<Move> step(const Window& seen);

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
  std::optional<Load> at_rest_;
  std::uint32_t changed_ = 0;  ///< consecutive windows that differ from at_rest_
};

}  // namespace weir::plan
