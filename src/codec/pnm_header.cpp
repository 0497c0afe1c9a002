#include <bit>

#include "codec/format.hpp"
#include "codec/netpbm_numbers.hpp"

namespace weir::codec {

Result<ImageInfo> read_pnm_header(Bytes pnm, const DecodeLimits& limits, bool strict) {
  constexpr std::uint32_t greatest = 65535;
  const bool grey = pnm.u8(1) == '5';
  NetpbmNumbers numbers(pnm);
  std::uint32_t values[3];
  for (auto& value : values) {
    const auto next = numbers.next();
    if (!next) return next.defect();
    value = *next;
  }
  const auto [width, height, most] = values;
  if (width == 0 || height == 0) return corrupt_at(2, "width or height of 0");
  if (most == 0 || most > greatest) return corrupt_at(2, "PNM with values up to ", most);
  ImageInfo info{.format = grey ? &pgm_format : &ppm_format,
                 .width = width,
                 .height = height,
                 .channels = static_cast<std::uint8_t>(grey ? 1 : 3),
                 .bit_depth = static_cast<std::uint8_t>(std::bit_width(most))};
  if (auto defect = exceeded(info, limits)) return *std::move(defect);
  const std::size_t start = numbers.end() + 1;  // exactly one blank precedes the pixels
  info.layout.set(PnmLayout{start, most});
  const std::uint64_t line =
      std::uint64_t{width} * info.channels * info.layout.get<PnmLayout>().value_bytes();
  // Both sides are below 2^28, so this does not overflow.
  if (!pnm.has(start, line * height)) {
    if (strict || !pnm.has(start, line)) return truncated_at(pnm.size(), "cut inside the pixels");
    info.damaged = true;
  }
  return info;
}

}  // namespace weir::codec
