#pragma once

#include "weir/source.hpp"

namespace weir::source {

/// `source`, read as if from slow storage: each read takes `milliseconds` more, spent once its bytes
/// are on the books, as those of a real read are. A read that is refused its bytes costs nothing.
AnySource delayed(AnySource source, double milliseconds);

}  // namespace weir::source
