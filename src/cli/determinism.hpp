#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/interrupt.hpp"
#include "cli/laws.hpp"
#include "cli/settings.hpp"
#include "weir/loader.hpp"

namespace weir::cli {

/// Digests of the batches that a stream delivered. A digest covers pixels, annotations, sizes, labels,
/// indices and statuses. Only the batches with the first and the last samples are recorded, so the
/// memory and the time of a second pass do not grow with the length of a soak. One thread.
class Delivered {
 public:
  static constexpr std::uint64_t samples_at_each_end = 1024;

  /// `settings` decide the length of the stream of `loader`.
  Delivered(const Loader& loader, const Settings& settings);
  Delivered(std::uint32_t batch, std::optional<std::uint64_t> batches_in_all);

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

/// The result of the second pass.
struct Determinism {
  std::uint64_t compared = 0;  ///< batches
  std::string skipped;         ///< why nothing was compared; empty if batches were compared
};

/// `options` with every change that must not change what is delivered.
Options other_machine(Options options, const Plan& plan);

/// The reason why the batches of another loader may differ. Empty if they must be equal.
std::string chance(const Report& report);

/// Delivers the recorded batches again and compares their digests, as checks of Law::determinism.
/// The second loader has another number of workers, another queue size, and no read-ahead, cache or
/// budget. It resumes at the first of the last batches. `did` is the report of the first loader. Only
/// seed and max_sample_bytes are the same in both loaders. Nothing is checked if samples had faults
/// that may not repeat, or if `interrupt` was raised.
Determinism compare(const AnySource& source, const Settings& settings, const Options& options,
                    const Report& did, const Delivered& delivered, const Interrupt& interrupt,
                    LawBook& book);

}  // namespace weir::cli
