#include "made_jpegs.hpp"

#include "codec/jpeg_part.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {

MadeJpeg draw_jpeg(std::mt19937& random, std::uint32_t most) {
  constexpr struct {
    std::uint32_t channels;
    int across, down, chroma;
  } kinds[] = {{3, 1, 1, 1}, {3, 2, 1, 1}, {3, 2, 2, 1}, {3, 1, 2, 1}, {3, 4, 1, 1},
               {1, 1, 1, 1}, {1, 2, 2, 1}, {4, 1, 1, 1}, {3, 4, 2, 1}, {3, 2, 1, 2}};
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto& kind = kinds[below(std::size(kinds))];
  constexpr int qualities[] = {10, 50, 75, 90, 100};
  MadeJpeg made{.width = 1 + below(most),
                .height = 1 + below(most),
                .channels = kind.channels,
                .style = {.quality = qualities[below(std::size(qualities))],
                          .sampling = kind.across,
                          .rows = kind.down,
                          .chroma = kind.chroma,
                          .optimize = below(2) == 0}};
  const bool blocks = kind.channels != 3;
  const std::uint32_t mcu = 8 * (blocks ? 1u : static_cast<std::uint32_t>(kind.across));
  const std::uint32_t row = (made.width + mcu - 1) / mcu;
  switch (below(4)) {
    case 0: made.style.restart_interval = row * (1 + below(2)); break;  // rows
    case 1: made.style.restart_interval = 1 + below(row + 3); break;    // seldom a divisor
    default:                                                            // a divisor
      made.style.restart_interval = 1 + below(row);
      while (row % made.style.restart_interval != 0) --made.style.restart_interval;
  }
  return made;
}

Compared compare_windows(const Encoded& jpeg, const Encoded& original, int windows,
                         std::mt19937& random) {
  const auto info = Decoder(DecoderOptions{}).probe(jpeg),
             plain = Decoder(DecoderOptions{}).probe(original);
  if (!info) FAIL(info.defect().reason);
  if (!plain) FAIL(plain.defect().reason);
  Rectangles rectangles(static_cast<unsigned>(random()));
  Compared found;
  for (int i = 0; i < windows; ++i) {
    const std::uint32_t reduce = jpeg_format.reduces(*info) ? 1u << random() % 4 : 1;
    const PixelRect window =
        rectangles.next((info->width + reduce - 1) / reduce, (info->height + reduce - 1) / reduce);
    const auto format = random() % 4 == 0 ? PixelFormat::grey8 : PixelFormat::rgb8;
    const auto part = decode_rectangle(jpeg, *info, window, reduce, true, format),
               whole =
                   decode_rectangle(original, without_parts(*plain), window, reduce, true, format);
    const auto area = jpeg_format.need(*info, window, reduce, format).area;
    ++found.windows;
    found.parts += jpeg_part(*info, area, reduce) ? 1u : 0u;
    if (part.status && whole.status && part.pixels == whole.pixels) continue;
    ++found.differ;
    UNSCOPED_INFO("1/" << reduce << ": " << window.width << "x" << window.height << " at "
                       << window.x << "," << window.y);
  }
  return found;
}

Compared compare_windows(const MadeJpeg& made, int windows, std::mt19937& random) {
  const Encoded jpeg = encode_jpeg(pattern(made.width, made.height, made.channels), made.style);
  const auto found = compare_windows(jpeg, jpeg, windows, random);
  if (found.differ > 0)
    UNSCOPED_INFO(made.width << "x" << made.height << " of " << made.channels << " channels, "
                             << made.style.sampling << "x" << made.style.rows << ", chroma "
                             << made.style.chroma << ", interval " << made.style.restart_interval
                             << ", quality " << made.style.quality);
  return found;
}

Compared compare_files(std::uint64_t files, std::uint64_t large_every, std::uint32_t large,
                       int windows, unsigned seed) {
  std::mt19937 random(seed);
  Compared all;
  for (std::uint64_t i = 0; i < files; ++i) {
    const auto found =
        compare_windows(draw_jpeg(random, i % large_every == 0 ? large : 70), windows, random);
    all.windows += found.windows;
    all.parts += found.parts;
    all.differ += found.differ;
  }
  return all;
}

}  // namespace weir::codec::test
