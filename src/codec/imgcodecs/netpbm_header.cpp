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
  // OpenCV scales only smaller values in text to 8 bits, and rounds them down.
  const bool grey = kind == '2' || kind == '5', scaled = (kind == '2' || kind == '3') && most < 255;
  auto header = line_by_line(width, height, !grey && most > 255 ? 6 : 3);
  header.most = most <= 65535 && !scaled ? most : 0;
  header.stored = header.most != 0 && grey;
  if (header.most != 0 && most != 255 && most != 65535)
    header.narrow_defect =
        grey ? "PGM whose largest value is not 255" : "PPM whose largest value is not 255";
  return header;
}

}  // namespace weir::imgcodecs
