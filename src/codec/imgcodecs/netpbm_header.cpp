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
  const std::uint32_t width = next_of(numbers), height = next_of(numbers);
  const auto kind = pnm.u8(1);
  if (kind == '1' || kind == '4') return line_by_line(width, height);
  const auto limit = numbers.next();
  const std::uint32_t most = limit ? *limit : 0;
  // OpenCV rounds values down to 8 bits if they have fewer. weir's own decoder reads the binary kinds.
  const bool kept = most >= 255 && most <= 65535 && (kind == '2' || kind == '3');
  auto header = line_by_line(width, height, kind == '3' && most > 255 ? 6 : 3);
  header.most = kept ? most : 0;
  header.stored = kept && kind == '2';
  return header;
}

}  // namespace weir::imgcodecs
