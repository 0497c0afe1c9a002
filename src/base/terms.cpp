#include "base/terms.hpp"

#include <new>

namespace weir {

std::string plain_text(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "out of memory";
  return error.what();
}

}  // namespace weir
