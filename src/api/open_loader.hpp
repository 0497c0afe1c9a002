#pragma once

#include <memory>

#include "engine/loader_state.hpp"

namespace weir::api {

using engine::LoaderState;

/// Measures what the options leave to the data, plans, and opens the books. Throws as Loader does.
std::shared_ptr<LoaderState> open_loader(const AnySource& source, const Options& requested);

}  // namespace weir::api
