#include "weir/version.hpp"

namespace weir {

std::string_view library_version() noexcept { return version; }

}  // namespace weir
