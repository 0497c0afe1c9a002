#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "proof/injection/scenarios.hpp"
#include "weir/weir.hpp"

namespace weir::test {

/// A path in a folder of images, made by the first call: `jpeg`, `png`, `webp` with four each,
/// `broken` with files that are not images.
std::string image_data(const char* below);

/// Reports forbidden behaviour of the library.
[[noreturn]] void wrong(const std::string& what);

/// Batches of two small images, one worker.
Options small(OnFault policy);

/// Consumes everything. Returns the number of rows.
std::uint64_t drain(Loader& loader, const StreamOptions& options = {});

/// After a stream: every sample is accounted for, and samples failed only for these reasons.
void check(const Loader& loader, std::initializer_list<FaultKind> allowed);

// ---- scenarios in other files -------------------------------------------------------------------

/// Measures sizes, then makes padded, ragged and bucketed batches.
void own_sizes();
/// A custom transform with annotations and scratch, and pairs that are cropped together.
void transforms();
/// Batches by async_next(), and a stream that is destroyed during a request.
void ask_without_waiting();
/// Epochs that rest, one of which is left early, and batches that are asked for.
void epochs_and_requests();
/// A stream that does not move, and its watchdog's message.
void watched();

}  // namespace weir::test
