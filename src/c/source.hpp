#pragma once

#include "weir/source.hpp"
#include "weir/weir.h"

namespace weir::c {

/// The source that a caller has described. Calls `close` when its last copy is destroyed.
AnySource make_source(const weir_source& described);

}  // namespace weir::c
