#include "codec/format.hpp"

#include <algorithm>
#include <atomic>
#include <initializer_list>

#include "targets.hpp"
#include "unit/codec/support.hpp"
#include "unit/codec/tiled.hpp"

namespace weir::fuzz {
namespace {

using codec::test::Outcome;

/// Small enough that no image takes long.
constexpr DecodeLimits limits{.max_pixels = 1u << 20, .max_side = 1u << 13, .max_scans = 20};

/// The file's last byte selects how to decode. It is after the image's end, so decoders ignore it.
codec::DecoderOptions options_of(std::uint8_t choice) {
  codec::DecoderOptions options{.limits = limits};
  options.fit.fit = static_cast<Fit>(choice & 3);
  options.fit.out = {29, 31};
  options.fit.short_side = 40;
  options.strict = (choice & 4) == 0;
  options.decode = (choice & 8) == 0 ? Decode::exact : Decode::fast;
  options.filter = (choice & 16) == 0 ? Filter::bilinear : Filter::antialiased;
  constexpr PixelFormat formats[] = {PixelFormat::rgb8, PixelFormat::grey8, PixelFormat::rgb16,
                                     PixelFormat::stored8};
  options.pixels = formats[choice >> 6];
  if (is_stored(options.pixels)) options.filter = Filter::nearest;
  options.exif = (choice & 32) == 0 ? Exif::apply : Exif::ignore;
  return options;
}

void check(const Outcome& first, const Outcome& second, bool strict) {
  must(static_cast<bool>(first.info) == static_cast<bool>(second.info), "verdicts repeat");
  if (!first.info) return;
  must(static_cast<bool>(first.decoded) == static_cast<bool>(second.decoded), "verdicts repeat");
  if (!first.decoded) {
    must(!first.decoded.defect().reason.empty(), "a defect has a reason");
    return;
  }
  must(first.decoded->status == second.decoded->status, "statuses repeat");
  must(!strict || first.decoded->status == RowStatus::ok, "strict delivers nothing damaged");
  must(first.row == second.row, "no byte depends on what the memory held before");
}

/// Decodes twice, into memory with different contents.
bool decode(Input input, const codec::DecoderOptions& options) {
  const auto encoded = std::as_bytes(input);
  check(codec::test::run(options, encoded, input.size(), 0xa5),
        codec::test::run(options, encoded, input.size(), 0x5a), options.strict);
  return true;
}

bool decode(Input input, std::initializer_list<const codec::Format*> formats) {
  if (input.empty()) return false;
  const auto options = options_of(input.back());
  const auto info = codec::Decoder(options).probe(std::as_bytes(input));
  if (info && std::ranges::count(formats, info->format) == 0) return false;
  return decode(input, options);
}

/// One decoder for the file three times, and then for another one with its header.
void check_again(Input input, const codec::DecoderOptions& options) {
  const auto encoded = std::as_bytes(input);
  const codec::Decoder planner(options);
  const auto info = planner.probe(encoded);
  if (!info) return;
  codec::test::Encoded other(encoded.begin(), encoded.end());
  std::reverse(other.begin() + info->layout.get<codec::JpegLayout>().scan, other.end());
  codec::test::OneDecoder decoder(options, plan_row(planner, *info, 0).memory.scratch);
  for (int i = 0; i < 3; ++i)
    check(codec::test::run(options, encoded), decoder.run(encoded), options.strict);
  check(codec::test::run(options, other), decoder.run(other), options.strict);
}

/// Any bytes, with tiles or without.
void check_tiles(std::span<const std::byte> encoded) {
  const auto info = codec::Decoder({.limits = limits}).probe(encoded);
  if (!info || info->format != &codec::jpeg_format) return;
  const auto tiled = codec::test::tiled_jpeg({encoded.begin(), encoded.end()}, *info, 3);
  const auto before = codec::test::run_whole(encoded);
  if (!tiled || !before) return;
  const auto after = codec::test::run_whole(*tiled);
  must(static_cast<bool>(after), "a sound file is sound with tiles");
  must(after.row == before.row, "tiles keep the pixels");
}

}  // namespace

bool jpeg_decode(Input input) {
  if (!decode(input, {&codec::jpeg_format})) return false;
  check_tiles(std::as_bytes(input));
  check_again(input, options_of(input.back()));
  // What a decode of the whole file delivers as sound, a part between restart markers delivers, too.
  const auto encoded = std::as_bytes(input);
  const auto options = options_of(input.back());
  const auto info = codec::Decoder(options).probe(encoded);
  if (!info) return true;
  const auto part = codec::test::run_as(info, options, encoded, input.size()),
             whole = codec::test::run_as(codec::test::without_parts(*info), options, encoded,
                                         input.size());
  must(part || !whole, "a part has no damage that the file does not have");
  if (whole && whole.decoded->status == RowStatus::ok) {
    must(part.decoded->status == RowStatus::ok, "a part of a sound file is sound");
    must(part.row == whole.row, "a part has the pixels of the file");
  }
  return true;
}
bool png_decode(Input input) { return decode(input, {&codec::png_format}); }
bool webp_decode(Input input) { return decode(input, {&codec::webp_format}); }
bool pnm_decode(Input input) { return decode(input, {&codec::pgm_format, &codec::ppm_format}); }

}  // namespace weir::fuzz
