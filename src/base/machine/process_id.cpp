#include "base/machine/process_id.hpp"

#include <unistd.h>

namespace weir {

long process_id() noexcept { return ::getpid(); }

}  // namespace weir
