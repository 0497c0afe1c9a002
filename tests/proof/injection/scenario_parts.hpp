#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "proof/injection/scenarios.hpp"
#include "weir/weir.hpp"

namespace weir::test {

/// Below a folder of images, made by the first call: `jpeg`, `png`, `webp` with four each, `broken` with
/// what is none.
std::string image_data(const char* below);

/// The library did what it must not.
[[noreturn]] void wrong(const std::string& what);

/// Batches of two small images, one worker.
Options small(OnFault policy);

/// Takes all; how many rows.
std::uint64_t drain(Loader& loader, const StreamOptions& options = {});

/// After a stream: every sample is accounted for, and samples failed for these reasons alone.
void check(const Loader& loader, std::initializer_list<FaultKind> allowed);

// ---- works in a file of their own ---------------------------------------------------------------

/// Sizes are measured, then padded, ragged and bucketed batches are made of them.
void own_sizes();
/// A transform of the user's own with side bytes and scratch, and pairs cropped together.
void transforms();
/// Batches by async_next(), and a stream that goes while somebody has asked.
void ask_without_waiting();
/// A stream that stands still, and is told so.
void watched();

}  // namespace weir::test
