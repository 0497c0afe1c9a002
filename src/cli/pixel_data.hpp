#pragma once

#include <optional>
#include <string>

#include "weir/source.hpp"

namespace weir::cli {

/// The source for cifar10:PATH, cifar100:PATH, cifar100-coarse:PATH and mnist:PATH. PATH is one
/// file, or a folder, of which the training files are taken. Empty for other data. Throws
/// Error{source_failed}.
std::optional<AnySource> open_pixels(const std::string& data);

}  // namespace weir::cli
