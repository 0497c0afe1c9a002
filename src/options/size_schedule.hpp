#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "weir/options.hpp"

namespace weir::options {

/// Sizes from an epoch and a step on.
struct SizeChange {
  std::uint64_t epoch = 0, step = 0;
  ImageSize size{};
};

/// "epoch 0: 160, 10: 192, 30+500: 224x320": with or without "epoch" in each part, with commas or semicolons, or
/// with a part on each line, where a line of # says nothing. Throws std::invalid_argument that names the part.
std::vector<SizeChange> read_schedule(std::string_view text);
/// One of its parts.
std::string text_of(const SizeChange& change);

/// The function of a schedule for batches of `mode`: with Sizes::padded and ragged, images are scaled down to
/// its sizes. Its name is what read_schedule() reads, if that has at most 64 characters.
SizeFunction function_of(const std::vector<SizeChange>& schedule, Sizes mode);

}  // namespace weir::options
