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

/// What a stream delivered, batch by batch: pixels, side bytes, sizes, labels, indices and statuses, as
/// digests. Notes the batches that hold the first and the last samples alone, so that neither its memory
/// nor a second pass grows with a soak. One thread.
class Delivered {
 public:
  static constexpr std::uint64_t samples_at_each_end = 1024;

  /// For the stream of `loader` that `settings` ask for.
  Delivered(const Loader& loader, const Settings& settings);
  Delivered(std::uint32_t batch, std::optional<std::uint64_t> batches_in_all);

  void note(const Batch& batch);

  struct Piece {
    std::uint64_t sequence = 0;
    std::string digest;
  };
  const std::vector<Piece>& pieces() const noexcept { return pieces_; }

 private:
  const std::uint64_t ends_before_, begins_again_at_;  ///< batches
  std::vector<Piece> pieces_;
};

/// What came of the second pass.
struct Determinism {
  std::uint64_t compared = 0;  ///< batches
  std::string skipped;         ///< why nothing was compared; empty where something was
};

/// Delivers those batches once more and holds them against what was noted, as checks of
/// Law::determinism: by a loader with other workers, another queue, no read-ahead, cache or budget, that
/// takes up the last ones where they began. `did` is the report of the loader that was noted, of which
/// only seed and max_sample_bytes are the same. Nothing is checked where samples failed in a way that
/// need not come again, or where `interrupt` was raised.
Determinism compare(const AnySource& source, const Settings& settings, const Options& options,
                    const Report& did, const Delivered& delivered, const Interrupt& interrupt,
                    LawBook& book);

}  // namespace weir::cli
