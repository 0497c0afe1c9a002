#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "weir/advice.hpp"

namespace weir::plan {

/// Decides the moves of Tuning::automatic from windows alone: no thread, no clock. It asks advise()
/// where to go and goes there one knob at a time. Two windows after a move it looks at what came of
/// it, and takes the move back where throughput or readiness fell; that knob is then left alone.
/// There it rests, until what reads, decodes or the consumer take has changed: so on a steady
/// workload it comes to rest after at most two moves a knob.
class Tuner {
 public:
  Tuner(const Setting& start, const AdviceOptions& bounds);

  struct Move {
    Setting to;
    std::string reason;  ///< a sentence: the knob, from, to, why
  };
  /// Whether a window holds enough to judge by; a shorter one is to grow.
  static bool enough(const Window& seen) noexcept;
  /// What to do after `seen`, the time since the last call, all of it under setting(). A move
  /// counts as made.
  std::optional<Move> look(const Window& seen);
  const Setting& setting() const noexcept { return setting_; }

 private:
  enum class Phase : std::uint8_t {
    resting,   ///< nothing to do until the workload changes
    heading,   ///< towards goal_
    settling,  ///< the first window after a move: half of it is of the time before
    judging    ///< the second: what came of it
  };
  /// Seconds a sample that each station takes, so that a change of one that hardly counts is none.
  struct Load {
    double read = 0, decode = 0, consumer = 0;
  };
  struct Trial {
    std::size_t knob = 0;
    Setting from{};
    double samples_per_s = 0, data_readiness = 0;  ///< before
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
  std::array<bool, 3> refused_{};  ///< knobs whose move was taken back, for this goal
  std::optional<Load> at_rest_;
  std::uint32_t changed_ = 0;  ///< windows in a row that differ from at_rest_
};

}  // namespace weir::plan
