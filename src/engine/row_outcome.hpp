#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "engine/failure.hpp"

namespace weir::engine {

/// How a row, or one step of it, ended.
class [[nodiscard]] RowOutcome {
 public:
  enum State : std::uint8_t {
    proceed,    ///< the step is complete: the next one may begin
    done,       ///< the row has ended
    parked,     ///< bytes were refused: the board keeps the sample
    abandoned,  ///< the stream is stopping: the row is nobody's
  };
  // NOLINTBEGIN(google-explicit-constructor): a step returns any of these
  RowOutcome(State state) noexcept : value_(state) {}
  RowOutcome(Failure failure) noexcept : value_(std::move(failure)) {}
  RowOutcome(Defect defect) noexcept : value_(Failure{std::move(defect)}) {}
  // NOLINTEND(google-explicit-constructor)

  /// False of a failure, whatever the state.
  friend bool operator==(const RowOutcome& outcome, State state) noexcept {
    const auto* const found = std::get_if<State>(&outcome.value_);
    return found != nullptr && *found == state;
  }
  /// Null where the step did not fail.
  const Failure* failure() const noexcept { return std::get_if<Failure>(&value_); }

 private:
  std::variant<State, Failure> value_;
};

}  // namespace weir::engine
