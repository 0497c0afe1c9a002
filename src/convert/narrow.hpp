#pragma once

#include "weir/convert.hpp"

namespace weir::convert {

/// `value` rounded once to T, to nearest, ties to even; overflow gives infinity, as IEEE 754 has it.
template <Element T>
T narrow(double value) noexcept;

}  // namespace weir::convert
