#pragma once

#include "cli/option_group.hpp"
#include "cli/settings.hpp"

namespace weir::cli {

/// Options of images that keep their own sizes, and of a queue bounded by bytes.
void add_sizes(OptionGroup& group, SizeOptions& sizes);
void add_queue_bytes(OptionGroup& group, QueueOptions& queue);
/// Throws Refusal where an option was given that has no say beside --sizes.
void check_sizes(const CLI::App& command, Settings& settings);

}  // namespace weir::cli
