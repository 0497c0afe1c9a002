#pragma once

#include <memory>
#include <utility>

#include "weir/batch.hpp"

namespace weir {

/// A leased batch that several views share. The destructor of the last view returns the slab on its
/// thread, even if stream and loader no longer exist. Until then the batch counts against
/// `max_leases`, and its bytes are in the account `leased`.
using Lease = std::shared_ptr<const Batch>;

/// Takes ownership of the batch.
inline Lease share(Batch batch) { return std::make_shared<const Batch>(std::move(batch)); }

}  // namespace weir
