#pragma once

#include <vector>

#include "api/states.hpp"

namespace weir::api {

/// Loader::identity().
std::vector<Property> identity_of(const LoaderState& loader, const StreamOptions& stream);

}  // namespace weir::api
