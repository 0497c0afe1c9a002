#pragma once

#include <string>
#include <vector>

#include "weir/error.hpp"

namespace weir::source {

/// Why `name` cannot be the name of the next plane after `names`, with the rule. Empty: it can be.
std::string not_a_plane(const std::string& name, const std::vector<std::string>& names);
/// The fault of a plane that could not be read: it names the plane and its file.
SampleError fault_of_plane(const std::string& plane, const std::string& file,
                           const SampleError& error);
/// For example "mask, depth", or "none".
std::string list_of(const std::vector<std::string>& names);

/// The fault of an annotation: with the name of its file.
SampleError fault_of_annotation(const std::string& file, const SampleError& error);

}  // namespace weir::source
