#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "weir/batch.hpp"

namespace weir {

/// A batch on loan that several views share: its slab goes back when the last of them dies, on that thread,
/// whatever became of the stream and the loader. Until then it counts as leased: one of `max_leases`, and
/// its bytes in the account `leased`.
using Lease = std::shared_ptr<const Batch>;

/// Takes the batch over.
inline Lease share(Batch batch) { return std::make_shared<const Batch>(std::move(batch)); }

}  // namespace weir
