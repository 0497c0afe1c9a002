#include <dlfcn.h>

#include <webp/decode.h>

#include <atomic>
#include <cstring>

#include "codec/webp_pieces.hpp"
#include "encoders.hpp"
#include "header_bytes.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

namespace {

std::atomic<int> updates{0};

}  // namespace

// libwebp's, with its calls counted.
extern "C" VP8StatusCode WebPIUpdate(WebPIDecoder* decoder, const std::uint8_t* data,
                                     std::size_t bytes) {
  static const auto real =
      reinterpret_cast<decltype(&WebPIUpdate)>(::dlsym(RTLD_NEXT, "WebPIUpdate"));
  ++updates;
  return real(decoder, data, bytes);
}

namespace weir::codec::test {
namespace {

Encoded webp_file(const Pixels& chunks) {
  return to_bytes(text("RIFF") + le(chunks.size() + 4, 4) + text("WEBP") + chunks);
}

/// `webp` with a number of empty chunks before its frame or its alpha, and after it.
Encoded with_chunks(const Encoded& webp, const Raster& image, std::size_t in_front,
                    std::size_t behind) {
  constexpr std::size_t riff_bytes = 12, vp8x_bytes = 18;
  Pixels frame(webp.size() - riff_bytes);
  std::memcpy(frame.data(), webp.data() + riff_bytes, frame.size());
  auto chunks =
      text("VP8X") + le(10, 4) + le(0, 4) + le(image.width - 1, 3) + le(image.height - 1, 3);
  if (text("VP8X") == Pixels(frame.begin(), frame.begin() + 4)) {
    chunks.assign(frame.begin(), frame.begin() + vp8x_bytes);
    frame.erase(frame.begin(), frame.begin() + vp8x_bytes);
  }
  const auto empty = text("none") + le(0, 4);
  for (std::size_t i = 0; i < in_front; ++i)
    chunks.insert(chunks.end(), empty.begin(), empty.end());
  chunks.insert(chunks.end(), frame.begin(), frame.end());
  for (std::size_t i = 0; i < behind; ++i) chunks.insert(chunks.end(), empty.begin(), empty.end());
  return webp_file(chunks);
}

/// Writes bits in the order of lossless WebP, the lowest first.
class Bits {
 public:
  void put(std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i) put_bit((value >> i & 1) != 0);
  }
  Pixels bytes() const { return bytes_; }

 private:
  void put_bit(bool bit) {
    if (used_++ % 8 == 0) bytes_.push_back(0);
    if (bit) bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | 1u << ((used_ - 1) % 8));
  }
  Pixels bytes_{};
  std::size_t used_ = 0;
};

/// A black image of side x side pixels whose pixels take no bits. It has one group of Huffman codes
/// for each 16 x 16 pixels.
Encoded all_codes(std::uint32_t side) {
  constexpr std::uint32_t block_bits = 4;
  const auto one_symbol = [](Bits& bits) { bits.put(1, 4); };
  // 256 codes of 8 bits. The lengths are in a code with the only symbol 8, which takes no bits.
  const auto bytes_as_they_are = [](Bits& bits) {
    bits.put(0, 1);
    bits.put(8, 4);
    bits.put(0, 32);
    bits.put(0, 1);
    bits.put(1, 3);
    bits.put(1 | 3 << 1 | 254 << 4, 12);
  };
  Bits bits;
  bits.put(0x2f, 8);
  bits.put(side - 1, 14);
  bits.put(side - 1, 14);
  bits.put(0, 1 + 3 + 1 + 1);  // no alpha, version 0, no transform, no cache of colours
  bits.put(1 | (block_bits - 2) << 1, 4);
  bits.put(0, 1);
  for (int i = 0; i < 2; ++i) bytes_as_they_are(bits);
  for (int i = 0; i < 3; ++i) one_symbol(bits);
  const std::uint32_t blocks = ((side - 1) >> block_bits) + 1;
  const auto put_byte = [&](std::uint32_t value) {
    for (int i = 7; i >= 0; --i) bits.put(value >> i & 1, 1);
  };
  for (std::uint32_t i = 0; i < blocks * blocks; ++i) {
    put_byte(i & 255);
    put_byte(i >> 8);
  }
  for (std::uint32_t i = 0; i < 5 * blocks * blocks; ++i) one_symbol(bits);
  bits.put(0, 32);
  bits.put(0, 32);
  const auto frame = bits.bytes();
  return webp_file(text("VP8L") + le(frame.size(), 4) + frame + Pixels(frame.size() % 2));
}

ImageInfo info_of(std::size_t frame, std::size_t bytes, bool lossless) {
  ImageInfo info{.width = 10000, .height = 10000};
  info.layout.set(WebpLayout{frame, bytes, lossless});
  return info;
}

}  // namespace

TEST_CASE("WebP pixels are libwebp's own, alpha is dropped", "[I12]") {
  for (const std::uint32_t channels : {3u, 4u}) {
    for (const auto quality : {std::optional<float>(80.f), std::optional<float>()}) {
      const Encoded webp = encode_webp(pattern(67, 45, channels), quality);
      const Outcome outcome = run_whole(webp);
      REQUIRE(outcome);
      CHECK(outcome.row == reference_webp(webp).values);
    }
  }
}

TEST_CASE("cropping inside libwebp gives the pixels of a full decode") {
  for (const auto quality : {std::optional<float>(80.f), std::optional<float>()}) {
    const Encoded webp = encode_webp(pattern(97, 75), quality);
    const Raster whole = reference_webp(webp);
    // Short side of 75 at scale 1: the window is copied, not resampled, at odd coordinates, too.
    for (const std::uint32_t side : {31u, 32u, 40u, 74u}) {
      const DecoderOptions options{
          .fit = {.out = {side, side}, .fit = Fit::center, .short_side = 75}};
      const Outcome outcome = run(options, webp);
      REQUIRE(outcome);
      const auto source = pixels_of(choose_window({75, 97}, options.fit, 0).source);
      bool equal = true;
      for (std::uint32_t i = 0; i < side * side * 3; ++i) {
        const std::uint32_t x = i / 3 % side, y = i / 3 / side;
        equal = equal && outcome.row[i] == whole.at(source.x + x, source.y + y, i % 3);
      }
      CAPTURE(side, quality.has_value());
      CHECK(equal);
    }
  }
}

TEST_CASE("a window of a WebP has the alpha of a full decode") {
  constexpr std::uint32_t width = 76, height = 90;
  Raster image = pattern(width, height, 4);
  for (std::uint32_t i = 0; i < width * height; ++i) {
    const auto x = i % width, y = i / width;
    // libwebp predicts these values from others, which it does wrongly below the top of a crop.
    image.values[4 * i + 3] = static_cast<std::uint8_t>(5 * x + 3 * y + (7 * x + 13 * y) % 5);
  }
  const Encoded webp = encode_webp(image, 80.f);
  const auto whole = run({.fit = own_size, .pixels = PixelFormat::rgba8}, webp);
  const DecoderOptions options{.fit = {.out = {21, 31}, .fit = Fit::patch},
                               .pixels = PixelFormat::rgba8};
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    const auto window = run(options, webp, draw);
    REQUIRE((whole && window));
    const auto source = pixels_of(choose_window({height, width}, options.fit, draw).source);
    bool equal = true;
    for (std::uint32_t y = 0; y < 21; ++y)
      equal = equal && std::equal(&window.row[y * 31 * 4], &window.row[y * 31 * 4] + 31 * 4,
                                  &whole.row[((source.y + y) * width + source.x) * 4]);
    CAPTURE(draw, source.y);
    CHECK(equal);
  }
}

TEST_CASE("a WebP decoded in pieces equals one decoded at once", "[R8]") {
  for (const auto quality : {std::optional<float>(70.f), std::optional<float>()}) {
    const Raster image = quality ? pattern(1300, 900) : pattern(1100, 500);
    const Encoded webp = encode_webp(image, quality);
    const Raster whole = reference_webp(webp);
    const Outcome outcome = run_whole(webp);
    REQUIRE(outcome);
    CHECK(outcome.row == whole.values);
    const DecoderOptions options{
        .fit = {.out = {301, 301}, .fit = Fit::center, .short_side = image.height}};
    const Outcome cropped = run(options, webp);
    REQUIRE(cropped);
    const auto source =
        pixels_of(choose_window({image.height, image.width}, options.fit, 0).source);
    bool equal = true;
    for (std::uint32_t i = 0; i < 301 * 301 * 3; ++i) {
      const std::uint32_t x = i / 3 % 301, y = i / 3 / 301;
      equal = equal && cropped.row[i] == whole.at(source.x + x, source.y + y, i % 3);
    }
    CHECK(equal);
  }
}

TEST_CASE("a cut WebP is refused, or delivered in part in lenient mode", "[R8]") {
  for (const auto quality : {std::optional<float>(70.f), std::optional<float>()}) {
    const Raster image = quality ? pattern(1300, 900) : pattern(1100, 500);
    const Encoded webp = encode_webp(image, quality);
    const auto cut = std::span(webp).first(webp.size() * 4 / 5);
    CHECK_FALSE(run_whole(cut));
    const Outcome lenient = run_whole(cut, false);
    REQUIRE(lenient);
    CHECK(lenient.decoded->status == RowStatus::damaged);
    const Raster whole = reference_webp(webp);
    // The first quarter does not depend on the last fifth of the bytes.
    CHECK(std::equal(whole.values.begin(),
                     whole.values.begin() + static_cast<std::ptrdiff_t>(whole.values.size() / 4),
                     lenient.row.begin()));
    CHECK(lenient.row.back() == 128);
  }
}

TEST_CASE("chunks around a WebP's frame change no pixel and no verdict", "[I12]") {
  for (const std::uint32_t channels : {3u, 4u}) {
    for (const auto quality : {std::optional<float>(70.f), std::optional<float>()}) {
      const Raster image = pattern(1100, 700, channels);
      const Encoded webp = encode_webp(image, quality);
      const Encoded more = with_chunks(webp, image, 5000, 5000);
      const Outcome outcome = run_whole(more);
      REQUIRE(outcome);
      CHECK(outcome.row == reference_webp(webp).values);
      // Both lose the same number of bytes at the end. The longer file also loses the chunks after the frame.
      const Encoded in_front = with_chunks(webp, image, 5000, 0);
      const auto cut = std::span(webp).first(webp.size() * 2 / 3);
      const auto more_cut = std::span(in_front).first(in_front.size() - webp.size() + cut.size());
      CHECK_FALSE(run_whole(more_cut));
      const Outcome lenient = run_whole(more_cut, false), plain = run_whole(cut, false);
      CAPTURE(channels, quality.has_value());
      REQUIRE(bool(lenient) == bool(plain));
      CHECK(lenient.row == plain.row);
    }
  }
}

TEST_CASE("libwebp parses the data before the pixels only a few times", "[I12]") {
  for (const bool lossless : {false, true}) {
    for (const std::size_t bytes : {0u, 1u, 24u, 1000u, 8u << 20}) {
      const std::size_t frame = 60 << 20, file = frame + bytes + (3 << 20);
      const WebpPieces pieces(info_of(frame, bytes, lossless), file);
      // Chunks are parsed again until the frame is reached. The first piece reaches it.
      CHECK(pieces.behind(0, false) >= frame);
      // A lossless frame's tables are parsed again until they are complete.
      std::size_t looks = 0, looked_at = 0;
      for (std::size_t end = 0; end < file && looks < 1000; ++looks) {
        end = pieces.behind(end, false);
        looked_at += std::min(end - frame, bytes);
      }
      CHECK(looks <= (lossless ? 5 : 200));
      if (lossless) CHECK(looked_at <= 3 * bytes);
      // After that, pieces have equal length. Bytes after the frame are not a piece.
      std::size_t end = pieces.behind(0, false), longest = 0;
      for (looks = 1; end < file && looks < 1000; ++looks) {
        const std::size_t next = pieces.behind(end, true);
        if (next < file) longest = std::max(longest, next - end);
        end = next;
      }
      CHECK(end == file);
      CHECK(looks <= 200);
      CHECK(longest <= bytes / 190 + 1);
    }
  }
}

TEST_CASE("pieces of a WebP stay within a file shorter than declared", "[I12]") {
  const WebpPieces pieces(info_of(5000, 100, true), 1000);
  CHECK(pieces.behind(0, false) == 1000);
  const WebpPieces shorter(info_of(900, 5000, false), 1000);
  CHECK(shorter.behind(0, false) > 900);
  CHECK(shorter.behind(999, true) == 1000);
}

TEST_CASE("libwebp parses a WebP full of Huffman codes only a few times", "[I12]") {
  constexpr std::uint32_t side = weir::test::sanitized ? 500 : 3000;
  const Encoded webp = all_codes(side);
  updates = 0;
  const Outcome outcome = run({.fit = {.out = {8, 8}, .fit = Fit::stretch}}, webp);
  REQUIRE(outcome);
  CHECK(outcome.row == Pixels(8 * 8 * 3));
  // libwebp parses all codes again each time, which takes long. By pieces of equal length it would be
  // 18 times.
  CHECK(updates >= 1);
  CHECK(updates <= 5);
}

}  // namespace weir::codec::test
