#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "weir/loader.hpp"

namespace weir::observe {

/// Digests of the batches that a stream delivered. A digest covers the rows: pixels, annotations,
/// labels, indices, statuses and planes. Only the batches with the first and the last samples are
/// recorded, so the memory and the time of a second delivery do not grow with the stream. One thread.
class Delivered {
 public:
  static constexpr std::uint64_t samples_at_each_end = 1024;

  /// A stream of `loader` with this number of batches; UINT64_MAX: without an end.
  Delivered(const Loader& loader, std::uint64_t batches);

  void note(const Batch& batch);

  struct Piece {
    std::uint64_t sequence = 0;
    std::string digest;
  };
  const std::vector<Piece>& pieces() const noexcept { return pieces_; }

 private:
  const std::uint64_t ends_before_, begins_again_at_;  ///< in batches
  std::vector<Piece> pieces_;
};

/// The result of a second delivery.
struct SecondDelivery {
  std::uint64_t compared = 0, same = 0;  ///< batches
  std::string difference{};              ///< the first
  std::string skipped{};  ///< why nothing was compared; empty if batches were compared
};

/// Delivers the recorded batches again. The second loader has another number of workers, another queue
/// size, and no read-ahead, cache or budget. If `world` is above 1, it is one loader for each rank, and
/// their rows of a step are those of a batch of `options`. `did` is the report of the first loader.
/// Nothing is compared if samples had faults that may not repeat, or if a stop was requested. `done`
/// counts the batches.
SecondDelivery deliver_again(const AnySource& source, const Options& options, std::uint32_t world,
                             const Report& did, const Delivered& delivered,
                             const std::stop_token& stop, std::atomic<std::uint64_t>& done);

}  // namespace weir::observe
