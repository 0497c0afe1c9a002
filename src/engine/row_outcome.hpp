#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "engine/failure.hpp"

namespace weir::engine {

/// The result of a row or of one step.
class [[nodiscard]] RowOutcome {
 public:
  enum State : std::uint8_t {
    proceed,    ///< the step is complete; continue with the next one
    done,       ///< the row has ended
    parked,     ///< bytes were refused; the work queue keeps the sample
    abandoned,  ///< the stream is stopping; no thread continues the row
  };
  // NOLINTBEGIN(google-explicit-constructor): a step returns any of these
  RowOutcome(State state) noexcept : value_(state) {}
  RowOutcome(Failure failure) noexcept : value_(std::move(failure)) {}
  RowOutcome(Defect defect) noexcept : value_(Failure{std::move(defect)}) {}
  // NOLINTEND(google-explicit-constructor)

  /// False for a failure.
  friend bool operator==(const RowOutcome& outcome, State state) noexcept {
    const auto* const found = std::get_if<State>(&outcome.value_);
    return found != nullptr && *found == state;
  }
  /// Null if the step did not fail.
  const Failure* failure() const noexcept { return std::get_if<Failure>(&value_); }

 private:
  std::variant<State, Failure> value_;
};

}  // namespace weir::engine
