#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "weir/random.hpp"

namespace weir {

/// Which samples may be the partners of a row. Only samples that Options::order can draw.
enum class PartnerPick : std::uint8_t {
  /// Each with the same probability; with Order::weighted by their weights. With Order::own: those of
  /// other positions of the epoch.
  any,
  /// Those with the label of the row's own sample, each with the same probability. The source must
  /// know its labels without a read (Source::label). The loader keeps 16 bytes for each sample, in the
  /// account `index`. Not with Order::own.
  same_label,
  own,  ///< PartnerOptions::choose decides
};

/// The index in the source of partner 1 .. PartnerOptions::count of a row. `random` depends on (seed,
/// epoch, position, partner, attempt); `attempt` counts the failures of this partner. Pure, called by
/// several threads at once, and perhaps more than once for a row. If it throws, or the source has no
/// sample with this index, the stream ends before the batch, as with Order::own.
using PartnerFunction = std::function<std::uint64_t(std::uint64_t epoch, std::uint64_t position,
                                                    std::uint32_t partner, Random& random)>;

/// Further samples of each row, for a transform that makes one row of several images: mosaic, mixup,
/// pairs. The samples of a row are read and decoded together, within max_sample_bytes. Which they are is
/// a pure function of (seed, epoch, position), as the order is. With Requests, position is the number of
/// the row. Not with Decode::none and Cache::decoded.
struct PartnerOptions {
  std::uint32_t count = 0;              ///< partners of each row; 0 to 15
  PartnerPick pick = PartnerPick::any;  ///< which samples they may be
  /// Whether each draw is independent of the others. Otherwise the samples of a row all differ. With
  /// OnFault::skip, a sample that fails is redrawn alone. If no other sample is left, its replacement is
  /// one that the row has. Not with `own`.
  bool repeat = false;
  PartnerFunction choose{};  ///< for `own`
  /// Identifies `choose` in Loader::identity(), which ranks compare. 1 to 64 characters.
  std::string name{};

  static constexpr std::uint32_t most = 15;  ///< most partners of a row
};

}  // namespace weir
