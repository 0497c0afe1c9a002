#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/options.hpp"

namespace weir::cli {

/// Sizes from an epoch and a step on.
struct SizeChange {
  std::uint64_t epoch = 0, step = 0;
  ImageSize size{};
};

/// Reads "epoch 0: 160, 10: 192, 30+500: 224x320", or a FILE with such a part on each line. Throws
/// std::invalid_argument that names the part, or Error if the file cannot be read.
std::vector<SizeChange> read_schedule(const std::string& text);

/// Sets sizes.size to the schedule; with Sizes::padded and ragged, images are scaled down to its sizes.
/// What bounds the sizes is their largest, unless it is `bounded`. Throws std::invalid_argument if a size is
/// beyond that.
void apply_schedule(const std::vector<SizeChange>& schedule, bool bounded, Options& options);

/// The largest size that these epochs reach; without `epochs`, of all.
ImageSize largest_of(const std::vector<SizeChange>& schedule, std::optional<std::uint64_t> epochs);

}  // namespace weir::cli
