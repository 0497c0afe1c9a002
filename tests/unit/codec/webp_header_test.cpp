#include "header_bytes.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

Pixels webp_chunk(std::string_view type, const Pixels& data) {
  return text(type) + le(data.size(), 4) + data + Pixels(data.size() % 2);
}
Pixels riff(const Pixels& chunks, std::uint64_t size) {
  return text("RIFF") + le(size, 4) + text("WEBP") + chunks;
}
Pixels riff(const Pixels& chunks) { return riff(chunks, chunks.size() + 4); }

Pixels vp8(std::uint64_t width, std::uint64_t height) {
  return webp_chunk("VP8 ", Pixels{0, 0, 0, 0x9d, 0x01, 0x2a} + le(width, 2) + le(height, 2));
}
Pixels vp8l(std::uint64_t width, std::uint64_t height, bool alpha, std::uint64_t version = 0) {
  return webp_chunk("VP8L", Pixels{0x2f} + le((width - 1) | (height - 1) << 14 |
                                                  std::uint64_t{alpha} << 28 | version << 29,
                                              4));
}
Pixels vp8x(std::uint8_t flags, std::uint64_t width, std::uint64_t height) {
  return webp_chunk("VP8X", Pixels{flags, 0, 0, 0} + le(width - 1, 3) + le(height - 1, 3));
}

Result<ImageInfo> webp_info(const Pixels& bytes, bool strict = true) {
  return read_webp_header(view(bytes), {}, strict);
}
std::string of_chunks(const Pixels& chunks) { return verdict(webp_info(riff(chunks))); }

}  // namespace

TEST_CASE("I12 a WebP has its frame's size, and alpha if it says so") {
  const auto lossy = webp_info(riff(vp8(40, 30)));
  REQUIRE(lossy);
  CHECK(lossy->width == 40);
  CHECK(lossy->height == 30);
  CHECK(int(lossy->channels) == 3);
  CHECK(int(webp_info(riff(vp8l(40, 30, true)))->channels) == 4);
  CHECK(int(webp_info(riff(vp8l(40, 30, false)))->channels) == 3);
  const auto alpha = webp_chunk("ALPH", {1});
  CHECK(int(webp_info(riff(vp8x(0x10, 40, 30) + vp8(40, 30) + alpha))->channels) == 4);
  CHECK(int(webp_info(riff(vp8x(0x10, 40, 30) + alpha + vp8(40, 30)))->channels) == 4);
  // The top two bits of a side are a scale for displays.
  CHECK(webp_info(riff(vp8(0xc000 + 40, 0x4000 + 30)))->width == 40);
}

TEST_CASE("I12 WebP frames that are none are refused") {
  CHECK(of_chunks(webp_chunk("VP8 ", Pixels(9))) == "truncated: cut inside the VP8 frame header");
  CHECK(of_chunks(webp_chunk("VP8 ", Pixels(10))) == "corrupt: no VP8 key frame");
  CHECK(of_chunks(webp_chunk("VP8 ", {1, 0, 0, 0x9d, 1, 0x2a, 4, 0, 4, 0})) ==
        "corrupt: no VP8 key frame");
  CHECK(of_chunks(webp_chunk("VP8L", {0x2f, 0, 0, 0})) == "truncated: cut inside the VP8L header");
  CHECK(of_chunks(webp_chunk("VP8L", {0x2e, 0, 0, 0, 0})) == "corrupt: no VP8L signature");
  CHECK(of_chunks(vp8l(4, 4, false, 1)) == "corrupt: unknown VP8L version");
  CHECK(of_chunks(vp8(0, 30)) == "corrupt: width or height of 0");
  CHECK(of_chunks(vp8(30, 0)) == "corrupt: width or height of 0");
  CHECK(of_chunks(webp_chunk("XMP ", {1, 2, 3})) == "corrupt: no VP8 or VP8L frame");
}

TEST_CASE("I12 a canvas without its frame, and animation, are refused") {
  CHECK(of_chunks(vp8x(0, 40, 30) + vp8(40, 30)) == "ok");
  CHECK(of_chunks(vp8x(0, 41, 30) + vp8(40, 30)) == "corrupt: frame and canvas differ in size");
  CHECK(of_chunks(vp8x(0, 40, 31) + vp8(40, 30)) == "corrupt: frame and canvas differ in size");
  CHECK(of_chunks(vp8x(2, 40, 30) + vp8(40, 30)) == "unsupported: animated WebP");
  CHECK(of_chunks(vp8x(0, 40, 30) + webp_chunk("ANMF", Pixels(16))) ==
        "unsupported: animated WebP");
  CHECK(of_chunks(webp_chunk("VP8X", Pixels(8))) == "corrupt: short VP8X chunk");
  // Only the first frame and a canvas before it count.
  CHECK(of_chunks(vp8(40, 30) + vp8(9, 9) + vp8x(2, 9, 9)) == "ok");
}

TEST_CASE("I12 the size that RIFF tells is not believed") {
  CHECK(verdict(webp_info(text("RIFF") + le(4, 4) + text("WEBPVP8"))) ==
        "truncated: cut inside the RIFF header");
  const auto frame = vp8(40, 30);
  const auto all = frame.size() + 4;
  CHECK(verdict(webp_info(riff(frame, all + 1))) == "truncated: RIFF says 31 bytes, there are 30");
  const auto lenient = webp_info(riff(frame, all + 1), false);
  REQUIRE(lenient);
  CHECK(lenient->damaged);
  CHECK(verdict(webp_info(riff(frame, all - 1))) == "corrupt: chunk longer than its RIFF file");
  // Any bytes may follow the end. An odd chunk at the end may lack its padding byte.
  CHECK(verdict(webp_info(riff(frame, all) + Pixels(50, 7))) == "ok");
  CHECK(verdict(webp_info(riff(frame + text("XMP ") + le(1, 4) + Pixels{9}))) == "ok");
  CHECK(verdict(webp_info(riff(frame + Pixels(7)))) == "ok");
  // A truncated frame is still recognised as a frame.
  auto cut = riff(webp_chunk("VP8 ", Pixels{0, 0, 0, 0x9d, 1, 0x2a, 40, 0, 30, 0} + Pixels(50)));
  cut.erase(cut.end() - 30, cut.end());
  CHECK(verdict(webp_info(cut, false)) == "ok");
}

TEST_CASE("I8 EXIF turns a WebP, with the prefix of JPEG's or without") {
  const auto tiff = text(std::string_view("MM\0*\0\0\0\x08\0\x01\x01\x12\0\3\0\0\0\1\0\6\0\0", 22));
  for (const auto& exif : {tiff, text(std::string_view("Exif\0\0", 6)) + tiff}) {
    const auto info = webp_info(riff(vp8x(8, 40, 30) + vp8(40, 30) + webp_chunk("EXIF", exif)));
    REQUIRE(info);
    CHECK(int(info->orientation) == 6);
  }
}

}  // namespace weir::codec::test
