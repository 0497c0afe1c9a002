#include "codec/jpeg_part.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include <jpeglib.h>

namespace weir::codec {
namespace {

constexpr std::uint32_t block_side = 8;
/// A part must save at least one MCU in so many.
constexpr std::uint32_t least_saved = 16;
/// Of a marker.
constexpr std::size_t marker_bytes = 2;
constexpr std::uint8_t first_restart = 0xd0, restarts = 8, end_of_image = 0xd9;

/// The restart markers, then EOI.
constexpr auto markers = [] {
  std::array<std::byte, (restarts + 1) * marker_bytes> all{};
  for (std::size_t i = 0; i <= restarts; ++i) {
    all[i * marker_bytes] = std::byte{0xff};
    all[i * marker_bytes + 1] = std::byte(i < restarts ? first_restart + i : end_of_image);
  }
  return all;
}();

std::span<const std::byte> marker_after(std::size_t segment, std::size_t segments) noexcept {
  const std::size_t i = segment + 1 < segments ? segment % restarts : restarts;
  return std::span(markers).subspan(i * marker_bytes, marker_bytes);
}

/// The MCUs of an image. With one component, an MCU is a block.
struct Mcus {
  explicit Mcus(const ImageInfo& info) noexcept {
    const auto layout = info.layout.get<JpegLayout>();
    width = block_side * (info.channels == 1 ? 1u : layout.most_across());
    height = block_side * (info.channels == 1 ? 1u : layout.most_down());
    across = (info.width + width - 1) / width;
    down = (info.height + height - 1) / height;
  }
  std::uint32_t width, height;  ///< of an MCU, in pixels
  std::uint32_t across, down;   ///< number of MCUs
};

/// Columns or rows of MCUs.
struct McuRange {
  /// Those with the pixels from `low` to `high`, widened to multiples of `step`.
  McuRange(std::uint32_t low, std::uint32_t high, std::uint32_t pixels, std::uint32_t step,
           std::uint32_t size) noexcept
      : begin(low / pixels / step * step),
        end(std::min(size, ((high - 1) / pixels / step + 1) * step)) {}
  std::uint32_t count() const noexcept { return end - begin; }
  std::uint32_t begin, end;
};

}  // namespace

std::uint32_t jpeg_mcus_across(const ImageInfo& info) noexcept { return Mcus(info).across; }

std::uint32_t tiles_across(const ImageInfo& info) noexcept {
  if (info.format != &jpeg_format) return 0;
  const std::uint32_t interval = info.layout.get<JpegLayout>().restart_interval;
  if (interval == 0 || jpeg_segments(info) < 2) return 0;
  const std::uint32_t across = Mcus(info).across;
  return across % interval == 0 ? across / interval : 1;
}

std::uint64_t jpeg_segments(const ImageInfo& info) noexcept {
  const Mcus mcus(info);
  const std::uint64_t interval = info.layout.get<JpegLayout>().restart_interval;
  return (std::uint64_t{mcus.across} * mcus.down + interval - 1) / interval;
}

std::uint64_t jpeg_list_bytes(const ImageInfo& info) noexcept {
  if (info.layout.get<JpegLayout>().restart_interval == 0) return 0;
  // Each run is in another row, and has one offset more than segments.
  return (jpeg_segments(info) + Mcus(info).down) * sizeof(std::uint32_t);
}

std::optional<JpegPart> jpeg_part(const ImageInfo& info, const PixelRect& area,
                                  std::uint32_t reduce) noexcept {
  const std::uint32_t interval = info.layout.get<JpegLayout>().restart_interval;
  // libjpeg refuses a larger image, so its parts must not decode.
  if (interval == 0 || std::max(info.width, info.height) > JPEG_MAX_DIMENSION) return std::nullopt;
  const Mcus mcus(info);
  const std::uint32_t width = mcus.width / reduce, height = mcus.height / reduce;
  // A segment begins at the left edge in one of so many rows.
  const std::uint32_t period = interval / std::gcd(interval, mcus.across);
  // Upsampling with interpolation (jdsample.c) reads one line of chroma above and below.
  const std::uint32_t around = mcus.height > block_side ? 1 : 0;
  const McuRange columns(area.x, area.x + area.width, width, period == 1 ? interval : mcus.across,
                         mcus.across);
  const McuRange rows(area.y - std::min(area.y, around), area.y + area.height + around, height,
                      period, mcus.down);
  const std::uint64_t without = std::uint64_t{mcus.across} * rows.end;
  if (std::uint64_t{columns.count()} * rows.count() > without - without / least_saved)
    return std::nullopt;

  JpegPart part{.info = info,
                .left = columns.begin * width,
                .top = rows.begin * height,
                .of = static_cast<std::uint32_t>(jpeg_segments(info)),
                .first = (rows.begin * mcus.across + columns.begin) / interval,
                .runs = rows.count(),
                .run = columns.count() / interval,
                .step = mcus.across / interval};
  part.info.width = std::min(info.width - columns.begin * mcus.width, columns.count() * mcus.width);
  part.info.height = std::min(info.height - rows.begin * mcus.height, rows.count() * mcus.height);
  if (columns.count() == mcus.across) {
    part.runs = 1;
    part.run = static_cast<std::uint32_t>(jpeg_segments(part.info));
    part.step = part.run + 1;
  }
  return part;
}

std::optional<JpegPieces> JpegPieces::find(Bytes file, const JpegPart& part,
                                           std::span<std::uint32_t> list) noexcept {
  std::size_t at = part.info.layout.get<JpegLayout>().scan, listed = 0;
  for (std::size_t segment = 0;; ++segment) {
    const std::size_t from = segment - part.first;
    if (segment >= part.first && from / part.step < part.runs && from % part.step <= part.run)
      list[listed++] = static_cast<std::uint32_t>(at);
    if (segment == part.of) return JpegPieces(file, part, list);
    const std::size_t begin = at;
    const auto marker = std::byte{jpeg_next_marker(file, at)};
    if (marker != marker_after(segment, part.of).back() || at - begin <= marker_bytes)
      return std::nullopt;
  }
}

JpegPieces::JpegPieces(Bytes file, const JpegPart& part,
                       std::span<const std::uint32_t> list) noexcept
    : file_(file),
      part_(part),
      list_(list),
      size_{std::byte(part.info.height >> 8), std::byte(part.info.height & 255),
            std::byte(part.info.width >> 8), std::byte(part.info.width & 255)} {}

std::span<const std::byte> JpegPieces::next() noexcept {
  const auto bytes = [this](std::size_t begin, std::size_t end) {
    return file_.part(begin, end - begin).span();
  };
  const auto layout = part_.info.layout.get<JpegLayout>();
  const std::size_t given = given_++, header_pieces = 3;
  if (given == 0) return bytes(0, layout.size);
  if (given == 1) return size_;
  if (given == 2) return bytes(layout.size + size_.size(), layout.scan);
  const std::size_t segment = (given - header_pieces) / 2;
  const std::size_t segments = std::size_t{part_.runs} * part_.run;
  if (segment == segments) return {};
  if ((given - header_pieces) % 2 == 1) return marker_after(segment, segments);
  const std::size_t i = segment + segment / part_.run;
  return bytes(list_[i], list_[i + 1] - marker_bytes);
}

}  // namespace weir::codec
