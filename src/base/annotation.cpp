#include "weir/rows.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace weir {

void check_elements(std::size_t bytes, std::size_t room, std::size_t size, std::size_t alignment) {
  if (bytes % size != 0)
    refuse(Stage::lease, "an annotation of ", bytes, " bytes is no whole number of elements of ",
           size, " bytes; read it as bytes");
  if (room % alignment != 0)
    refuse(Stage::lease, "`annotation_bytes` = ", room, ": must be a multiple of ", alignment,
           ", the alignment of these elements");
}

void SampleAnnotation::resize(std::size_t bytes) {
  if (bytes > room_.size())
    throw SampleError(FaultKind::limit, concat("an annotation of ", bytes,
                                               " bytes; annotation_bytes is ", room_.size()));
  if (bytes > size_) std::ranges::fill(room_.subspan(size_, bytes - size_), std::byte{0});
  size_ = bytes;
}

}  // namespace weir
