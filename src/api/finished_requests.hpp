#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "api/finished.hpp"
#include "conductor/request_list.hpp"

namespace weir::api {

/// The finished batches of requests.
class FinishedRequests final : public Finished {
 public:
  explicit FinishedRequests(std::shared_ptr<conductor::RequestList> requests) noexcept
      : requests_(std::move(requests)) {}

 private:
  void note(std::uint64_t sequence) noexcept override { requests_->finish(sequence); }
  const std::shared_ptr<conductor::RequestList> requests_;
};

}  // namespace weir::api
