#include "codec/netpbm_numbers.hpp"

#include "codec/imgcodecs/headers.hpp"

namespace weir::imgcodecs {
namespace {

std::uint32_t next_of(codec::NetpbmNumbers& numbers) {
  const auto number = numbers.next();
  if (!number) throw SampleError(number.defect().kind, number.defect().reason);
  return *number;
}

}  // namespace

Header read_netpbm_header(codec::Bytes pnm) {
  codec::NetpbmNumbers numbers(pnm);
  const std::uint32_t width = next_of(numbers);
  return line_by_line(width, next_of(numbers));
}

}  // namespace weir::imgcodecs
