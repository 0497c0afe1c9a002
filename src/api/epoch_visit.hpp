#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "api/epochs_state.hpp"

namespace weir::api {

/// A visit to one epoch. The copies of an Epoch share it. It is made before the epoch is entered,
/// because a failed allocation must not lose an epoch.
class EpochVisit {
 public:
  explicit EpochVisit(std::shared_ptr<EpochsState> epochs) noexcept : state_(std::move(epochs)) {}
  ~EpochVisit() { state_->leave(*this, std::uncaught_exceptions() > exceptions_); }
  EpochVisit(const EpochVisit&) = delete;
  EpochVisit& operator=(const EpochVisit&) = delete;

  /// False if there is no further epoch.
  bool enter() { return state_->enter(*this); }
  std::optional<Batch> next() { return state_->take(*this); }

  std::uint64_t number = 0;  ///< of the epoch that was entered

 private:
  std::shared_ptr<EpochsState> state_;
  const int exceptions_ = std::uncaught_exceptions();
};

}  // namespace weir::api
