#pragma once

#include <vector>

#include "api/open_loader.hpp"
#include "buffer/cache_shelves.hpp"
#include "weir/loader.hpp"

namespace weir::api {

/// Loader::identity().
std::vector<Property> identity_of(const LoaderState& loader, const StreamOptions& stream);

/// What decides the bytes of a sample in a CacheStore.
buffer::ShelfKey shelf_key(const AnySource& source, const Options& options, const Plan& plan);

}  // namespace weir::api
