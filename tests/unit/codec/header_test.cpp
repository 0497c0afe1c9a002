#include "codec/format.hpp"
#include "encoders.hpp"
#include "header_bytes.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

Result<ImageInfo> probe(const Encoded& encoded, const DecodeLimits& limits = {}) {
  return Decoder(DecoderOptions{.limits = limits}).probe(encoded);
}
Result<ImageInfo> probe(std::initializer_list<int> bytes) {
  Pixels values;
  for (const int byte : bytes) values.push_back(static_cast<std::uint8_t>(byte));
  return probe(to_bytes(values));
}
FaultKind kind(const Result<ImageInfo>& result) {
  REQUIRE_FALSE(result);
  return result.defect().kind;
}
void put(Encoded& encoded, std::size_t at, std::initializer_list<int> bytes) {
  for (const int byte : bytes) encoded[at++] = static_cast<std::byte>(byte);
}
std::size_t find_marker(const Encoded& encoded, int marker) {
  for (std::size_t i = 0; i + 1 < encoded.size(); ++i) {
    if (encoded[i] == std::byte{0xff} && encoded[i + 1] == static_cast<std::byte>(marker)) return i;
  }
  FAIL("no such marker");
  return 0;
}
Encoded insert(Encoded encoded, std::size_t at, const Pixels& bytes, std::size_t times = 1) {
  const Encoded once = to_bytes(bytes);
  Encoded all;
  for (std::size_t i = 0; i < times; ++i) all.insert(all.end(), once.begin(), once.end());
  encoded.insert(encoded.begin() + static_cast<std::ptrdiff_t>(at), all.begin(), all.end());
  return encoded;
}

}  // namespace

TEST_CASE("only the first bytes of a file decide its format", "[I13]") {
  CHECK(kind(probe(Encoded{})) == FaultKind::corrupt);
  const auto text = probe({'<', '!', 'D', 'O', 'C', 'T', 'Y', 'P', 'E'});
  CHECK(kind(text) == FaultKind::unsupported);
  CHECK(text.defect().reason == "first bytes 3c 21 44 4f 43 54 59 50 …");
  CHECK(kind(probe({0xff})) == FaultKind::unsupported);
  CHECK(kind(probe({'R', 'I', 'F', 'F', 0, 0, 0, 0, 'W', 'A', 'V', 'E'})) ==
        FaultKind::unsupported);
  CHECK(probe(encode_jpeg(pattern(20, 10)))->format->name == "jpeg");
  CHECK(probe(encode_png(20, 10, pattern(20, 10).values, {}))->format->name == "png");
  CHECK(probe(encode_webp(pattern(20, 10), std::nullopt))->format->name == "webp");
}

TEST_CASE("headers give size, channels, depth and kind of coding") {
  const auto jpeg = probe(encode_jpeg(pattern(33, 21, 1), {.progressive = true}));
  REQUIRE(jpeg);
  CHECK(jpeg->width == 33);
  CHECK(jpeg->height == 21);
  CHECK(jpeg->channels == 1);
  CHECK(jpeg->progressive);
  const auto png = probe(
      encode_png(33, 21, Pixels(33 * 21 * 8), {.depth = 16, .colour = 6, .interlaced = true}));
  REQUIRE(png);
  CHECK(png->width == 33);
  CHECK(png->channels == 4);
  CHECK(png->bit_depth == 16);
  CHECK(png->progressive);
  for (const auto quality : {std::optional<float>(80.f), std::optional<float>()}) {
    const auto webp = probe(encode_webp(pattern(33, 21, 4), quality));
    REQUIRE(webp);
    CHECK(webp->width == 33);
    CHECK(webp->height == 21);
  }
}

TEST_CASE("a row lacks what its pixel format has not") {
  const auto lacks = [](const Encoded& file, PixelFormat pixels) {
    const auto info = probe_image(file, {.pixels = pixels});
    REQUIRE(info);
    std::string out;
    for (const auto what : dropped(*info, pixels)) out += std::string(what) + ". ";
    return out;
  };
  const auto png = [](const PngStyle& style) { return encode_png(8, 4, Pixels(8 * 4 * 8), style); };
  using enum PixelFormat;
  const auto palette = png({.colour = 3});
  CHECK(lacks(palette, rgb8) == "palette indices. ");
  CHECK(lacks(palette, grey8) == "palette indices. colours. ");
  CHECK(lacks(palette, stored8).empty());
  const auto transparent = png({.colour = 3, .transparency = true});
  CHECK(lacks(transparent, rgb8) == "palette indices. alpha. ");
  CHECK(lacks(transparent, rgba8) == "palette indices. ");
  CHECK(lacks(transparent, stored8) == "alpha. ");
  const auto deep = png({.depth = 16, .colour = 6});
  CHECK(lacks(deep, bgr8) == "alpha. low 8 bits. ");
  CHECK(lacks(deep, grey16) == "colours. alpha. ");
  CHECK(lacks(deep, rgb16) == "alpha. ");
  CHECK(lacks(deep, rgba8) == "low 8 bits. ");
  const auto depth = png({.depth = 16, .colour = 0});
  CHECK(lacks(depth, grey8) == "low 8 bits. ");
  CHECK(lacks(depth, stored16).empty());
  CHECK(lacks(png({.depth = 2, .colour = 0}), rgb8).empty());
  CHECK(lacks(png({.colour = 4}), grey8) == "alpha. ");
  CHECK(lacks(encode_jpeg(pattern(8, 4)), grey8) == "colours. ");
  CHECK(lacks(encode_jpeg(pattern(8, 4, 1)), grey8).empty());
  CHECK(lacks(encode_jpeg(pattern(8, 4, 4)), rgba8).empty());
  CHECK(lacks(encode_webp(pattern(8, 4, 4), std::nullopt), rgb8) == "alpha. ");
  CHECK(lacks(encode_webp(pattern(8, 4), std::nullopt), rgb8).empty());
  const auto pgm = [](const std::string& most) {
    return to_bytes(text("P5\n2 1\n" + most + "\n") + Pixels(4));
  };
  CHECK(probe_image(pgm("4095"), {.pixels = stored16})->bit_depth == 12);
  CHECK(lacks(pgm("4095"), stored16).empty());
}

TEST_CASE("limits refuse by the header alone", "[I3]") {
  const Encoded jpeg = encode_jpeg(pattern(40, 20));
  CHECK(kind(probe(jpeg, {.max_pixels = 799})) == FaultKind::limit);
  CHECK(probe(jpeg, {.max_pixels = 800}));
  CHECK(kind(probe(jpeg, {.max_side = 39})) == FaultKind::limit);
  CHECK(kind(probe(jpeg, {.max_encoded_bytes = jpeg.size() - 1})) == FaultKind::limit);
  CHECK(kind(probe(jpeg, {.max_markers = 3})) == FaultKind::limit);
  CHECK(kind(probe(jpeg, {.max_header_bytes = 100})) == FaultKind::limit);
  Encoded huge = jpeg;
  put(huge, find_marker(huge, 0xc0) + 5, {0xff, 0xdc, 0xff, 0xdc});
  CHECK(kind(probe(huge)) == FaultKind::limit);
}

TEST_CASE("too many JPEG markers meet the limit, long comments do not", "[I4]") {
  const Encoded jpeg = encode_jpeg(pattern(40, 20));
  CHECK(kind(probe(insert(jpeg, 2, {0xff, 0xe1, 0, 2}, 80'000))) == FaultKind::limit);
  Pixels comment(65'537, 'x');
  comment[0] = 0xff;
  comment[1] = 0xfe;
  comment[2] = comment[3] = 0xff;
  CHECK(probe(insert(jpeg, 2, comment, 40)));
  CHECK(kind(probe(insert(jpeg, 2, {0}, (1 << 20) + 1))) == FaultKind::limit);
}

TEST_CASE("JPEG headers that no decoder should see are refused", "[I3][I7]") {
  const Encoded jpeg = encode_jpeg(pattern(40, 20));
  const std::size_t frame = find_marker(jpeg, 0xc0);
  const auto changed = [&](std::size_t at, std::initializer_list<int> bytes) {
    Encoded copy = jpeg;
    put(copy, at, bytes);
    return probe(copy);
  };
  CHECK(kind(changed(frame + 5, {0, 0})) == FaultKind::corrupt);  // height 0
  CHECK(kind(changed(frame + 7, {0, 0})) == FaultKind::corrupt);  // width 0
  CHECK(kind(changed(frame + 4, {12})) == FaultKind::corrupt);    // baseline of 12 bits
  CHECK(kind(changed(frame, {0xff, 0xc1, 0, 17, 12})) ==
        FaultKind::unsupported);  // extended of 12 bits
  CHECK(kind(changed(frame, {0xff, 0xc3})) ==
        FaultKind::corrupt);  // lossless with a sequential scan
  CHECK(kind(changed(frame, {0xff, 0xc5})) ==
        FaultKind::corrupt);                                   // differential without a hierarchy
  CHECK(kind(changed(frame + 9, {2})) == FaultKind::corrupt);  // length of another component count
  CHECK(kind(changed(frame, {0xff, 0xd9})) == FaultKind::corrupt);        // EOI first
  CHECK(kind(changed(frame + 2, {0, 1})) == FaultKind::corrupt);          // an impossible length
  CHECK(kind(changed(frame + 2, {0xff, 0xff})) == FaultKind::truncated);  // a length beyond the end
  CHECK(kind(probe({0xff, 0xd8})) == FaultKind::truncated);
  CHECK(kind(probe({0xff, 0xd8, 0xff, 0xd9})) == FaultKind::corrupt);
}

TEST_CASE("PNG chunks are believed only as far as there are bytes", "[I11]") {
  const Encoded png = encode_png(8, 8, pattern(8, 8).values, {});
  constexpr std::size_t behind_ihdr = 33;
  const auto with_chunk = [&](const Pixels& chunk) {
    return probe(insert(png, behind_ihdr, chunk));
  };
  CHECK(kind(with_chunk({0x3f, 0xff, 0xff, 0xff, 't', 'E', 'X', 't'})) == FaultKind::limit);
  CHECK(kind(with_chunk({0, 0x0f, 0xff, 0xff, 'z', 'T', 'X', 't'})) == FaultKind::truncated);
  CHECK(kind(with_chunk({0, 0, 0, 0, 'A', 'B', 'C', 'D', 0, 0, 0, 0})) == FaultKind::corrupt);
  CHECK(kind(with_chunk({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})) == FaultKind::corrupt);
  CHECK(with_chunk({0, 0, 0, 0, 't', 'E', 'X', 't', 0, 0, 0, 0}));
  Encoded wrong_crc = png;
  wrong_crc[19] ^= std::byte{1};
  CHECK(kind(probe(wrong_crc)) == FaultKind::corrupt);
}

TEST_CASE("WebP whose RIFF size lies, or that is animated, is refused", "[I12]") {
  const Encoded webp = encode_webp(pattern(20, 10), 80.f);
  Encoded lie = webp;
  put(lie, 4, {0xf0, 0xff, 0xff, 0xff});
  CHECK(kind(probe(lie)) == FaultKind::truncated);
  Encoded small = webp;
  put(small, 4, {30, 0, 0, 0});
  CHECK(kind(probe(small)) == FaultKind::corrupt);
  const Pixels animated = {'R', 'I', 'F', 'F', 22, 0, 0, 0, 'W', 'E', 'B', 'P', 'V', 'P', '8',
                           'X', 10,  0,   0,   0,  2, 0, 0, 0,   9,   0,   0,   9,   0,   0};
  CHECK(kind(probe(to_bytes(animated))) == FaultKind::unsupported);
  Pixels empty = animated;
  empty[20] = 0;
  CHECK(kind(probe(to_bytes(empty))) == FaultKind::corrupt);
}

TEST_CASE("a broken EXIF segment gives orientation 1", "[I8]") {
  const Encoded jpeg = encode_jpeg(pattern(20, 10));
  for (std::uint8_t value = 0; value < 12; ++value) {
    const int expected = value >= 1 && value <= 8 ? value : 1;
    CHECK(int(probe(with_exif(jpeg, value, true))->orientation) == expected);
    CHECK(int(probe(with_exif(jpeg, value, false))->orientation) == expected);
  }
  constexpr std::size_t tiff = 12;
  const auto broken = [&](std::size_t at, std::initializer_list<int> bytes) {
    Encoded copy = with_exif(jpeg, 6);
    put(copy, tiff + at, bytes);
    return probe(copy);
  };
  for (const auto& info : {broken(0, {'X'}), broken(4, {0xff, 0xff, 0xff, 0xff}),
                           broken(4, {25, 0, 0, 0}), broken(12, {5, 0})}) {
    REQUIRE(info);
    CHECK(int(info->orientation) == 1);
  }
  const auto looping = broken(22, {0, 0, 0, 8});  // the next directory is this one
  REQUIRE(looping);
  CHECK(int(looping->orientation) == 6);
  const auto many = broken(8, {0xff, 0xff});  // 65535 entries, of which one exists
  REQUIRE(many);
  CHECK(int(many->orientation) == 6);
}

TEST_CASE("any byte of a header may change without a crash", "[I2]") {
  for (const Encoded& good :
       {with_exif(encode_jpeg(pattern(9, 7)), 6), encode_png(9, 7, pattern(9, 7).values, {}),
        encode_webp(pattern(9, 7, 4), 80.f)}) {
    std::size_t refused = 0;
    for (std::size_t at = 0; at < std::min<std::size_t>(good.size(), 200); ++at) {
      for (const int flip : {0x01, 0x80, 0xff}) {
        Encoded bad = good;
        bad[at] ^= static_cast<std::byte>(flip);
        const auto outcome = run_whole(bad);
        if (!outcome) ++refused;
      }
    }
    CHECK(refused > 20);
  }
}

}  // namespace weir::codec::test
