#include "weir/source.hpp"

namespace weir {

std::span<std::byte> ByteSink::take(std::size_t bytes) {
  if (const auto memory = try_take(bytes)) return *memory;
  throw BytesRefused{};
}

}  // namespace weir
