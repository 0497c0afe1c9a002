#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/order.hpp"

namespace weir::conductor {

/// The highest number of an epoch to begin with. Later numbers do not wrap.
inline constexpr std::uint64_t most_epoch = std::uint64_t{1} << 63;

/// Removes finished epochs from the front, and joins equal neighbours. If nothing is left: the
/// first unfinished epoch, at least `first`, with nothing finished.
std::vector<Progress::Epochs> unfinished(std::vector<Progress::Epochs> epochs, std::uint64_t first,
                                         std::uint64_t samples);

/// Throws Error{bad_options} that begins with `what` if the values contradict each other.
void check(const Progress& progress, const std::string& what);

/// Throws Error{bad_options} that names the first field that differs. `what` and `here` name the two
/// sides.
void check_same(const Progress& saved, const Progress& present, const std::string& what,
                const std::string& here);

/// The same for the size buckets of epochs that are partly finished. `present` needs no `rows`.
void check_buckets(const Progress& saved, const Progress::Buckets& present, const std::string& what,
                   const std::string& here);

/// Throws Error{bad_options} that begins with `what` if `epochs` leaves nothing of `saved` by mistake:
/// see StreamOptions::epochs.
void check_epochs(const Progress& saved, std::optional<std::uint64_t> epochs,
                  const std::string& what);

}  // namespace weir::conductor
