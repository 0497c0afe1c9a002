#include <memory>
#include <optional>
#include <stdexcept>

#include "codec/imgcodecs/headers.hpp"
#include "codec/probe.hpp"
#include "header_bytes.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

std::string size_or_reason(imgcodecs::Size (*read)(Bytes), const Pixels& bytes) {
  try {
    const auto size = read(view(bytes));
    return std::to_string(size.width) + "x" + std::to_string(size.height);
  } catch (const SampleError& error) {
    return std::string(to_string(error.kind())) + ": " + error.what();
  }
}

/// Takes everything and says what it was told to, or throws.
class Parrot final : public ForeignCodec {
 public:
  explicit Parrot(Info info) : info_(info) {}
  explicit Parrot(bool standard) : standard_(standard) {}
  bool accepts(std::span<const std::byte> head) const noexcept override { return !head.empty(); }
  Info info(std::span<const std::byte>) const override {
    if (info_) return *info_;
    if (standard_) throw std::runtime_error("parrot\tis silent");
    throw 7;
  }
  void decode(std::span<const std::byte>, const Info&, std::span<std::uint8_t>) const override {}

 private:
  std::optional<Info> info_;
  bool standard_ = false;
};

class Refuses final : public ForeignCodec {
 public:
  bool accepts(std::span<const std::byte>) const noexcept override { return false; }
  Info info(std::span<const std::byte>) const override { return {}; }
  void decode(std::span<const std::byte>, const Info&, std::span<std::uint8_t>) const override {}
};

std::string through(const Parrot& parrot) {
  DecoderOptions options;
  options.codecs = {std::make_shared<const Refuses>(), std::make_shared<const Parrot>(parrot)};
  const auto bytes = text("parrot");
  return verdict(probe_image(std::as_bytes(std::span(bytes)), options));
}

}  // namespace

#ifdef WEIR_HAS_OPENCV_CODEC
TEST_CASE("I13 BMP headers are read whole or refused") {
  const auto of = [](const Pixels& info) {
    return size_or_reason(imgcodecs::read_bitmap_header, text("BM") + Pixels(12) + info);
  };
  CHECK(of(le(12, 4) + le(40, 2) + le(30, 2) + Pixels(4)) == "40x30");
  CHECK(of(le(40, 4) + le(40, 4) + le(30, 4) + Pixels(24)) == "40x30");
  CHECK(of(le(40, 4) + le(40, 4) + le(0u - 30u, 4) + Pixels(24)) == "40x30");
  CHECK(of(le(40, 4) + le(0u - 40u, 4) + le(30, 4) + Pixels(24)) == "corrupt: negative BMP width");
  CHECK(of(le(13, 4) + Pixels(40)) == "corrupt: BMP header of an unknown size");
  CHECK(of(le(40, 4) + Pixels(31)) == "truncated: cut inside the BMP header");
  CHECK(of(le(12, 4) + Pixels(7)) == "truncated: cut inside the BMP header");
}

TEST_CASE("I13 PNM headers may hold blanks and comments, and must come to an end") {
  const auto of = [](const std::string& header) {
    return size_or_reason(imgcodecs::read_netpbm_header, text(header));
  };
  CHECK(of("P6 40 30 255\n") == "40x30");
  CHECK(of("P6\n# by\n#hand\n\t40\r\v\f30 255\n") == "40x30");
  CHECK(of("P640 30 ") == "40x30");
  CHECK(of("P640 30") == "truncated: cut inside the PNM header");
  CHECK(of("P6 40 ") == "truncated: cut inside the PNM header");
  CHECK(of("P6 # 40") == "truncated: cut inside the PNM header");
  CHECK(of("P6 -40 30") == "corrupt: PNM header without its numbers");
  CHECK(of("P6 :40 30") == "corrupt: PNM header without its numbers");
  CHECK(of("P6 \x08 30") == "corrupt: PNM header without its numbers");
  CHECK(of("P6 4294967297 1") == "corrupt: PNM header with a number too large");
  CHECK(of("P6" + std::string(70'000, ' ') + "40 30") == "limit: PNM header without an end");
}

TEST_CASE("I13 a PNM's comment ends where OpenCV ends it, and none begins within a number",
          "[I3]") {
  const auto of = [](const std::string& header) {
    return size_or_reason(imgcodecs::read_netpbm_header, text(header));
  };
  for (const char* kind : {"P1", "P2", "P3", "P4", "P5", "P6"}) {
    CHECK(of(kind + std::string("\n#\r20000 30000\n255\n8 8\n255\n")) == "20000x30000");
    CHECK(of(kind + std::string("\n#\r\n#\n40 #\r30\n")) == "40x30");
  }
  CHECK(of("P6 40#20000\n30 ") == "corrupt: PNM header without a blank behind a number");
  CHECK(of("P6 40 30#1\n") == "corrupt: PNM header without a blank behind a number");
  CHECK(of("P6 40,30 ") == "corrupt: PNM header without a blank behind a number");
}

TEST_CASE("I13 the first directory of a TIFF has its size, in either byte order") {
  const auto of = [](const Pixels& bytes) {
    return size_or_reason(imgcodecs::read_tiff_header, bytes);
  };
  const auto entry = [](std::uint64_t tag, std::uint64_t type, std::uint64_t value) {
    return le(tag, 2) + le(type, 2) + le(1, 4) + le(value, 4);
  };
  const auto head = text("II") + le(42, 2) + le(8, 4);
  const auto sides = entry(256, 4, 40) + entry(257, 3, 30);
  CHECK(of(head + le(2, 2) + sides) == "40x30");
  CHECK(of(head + le(4, 2) + entry(256, 2, 9) + sides + entry(277, 3, 3)) == "40x30");
  for (const std::uint64_t samples : {1u, 4u})
    CHECK(of(head + le(3, 2) + sides + entry(277, 3, samples)) == "40x30");
  CHECK(of(head + le(3, 2) + sides + entry(277, 3, 2)) ==
        "unsupported: TIFF of other than 1, 3 or 4 channels");
  CHECK(of(text("MM") + be(42, 2) + be(8, 4) + be(1, 2) + be(256, 2) + be(3, 2) + be(1, 4) +
           be(40, 2) + be(0, 2)) == "40x0");
  CHECK(of(text("II") + le(42, 2)) == "truncated: cut inside the TIFF header");
  CHECK(of(head) == "truncated: TIFF directory beyond the end");
}
#endif

TEST_CASE("I13 what a codec of the user's own says of an image is checked") {
  CHECK(through(Parrot({40, 30, 0})) == "ok");
  CHECK(through(Parrot({0, 30, 0})) == "corrupt: width or height of 0");
  CHECK(through(Parrot({40, 0, 0})) == "corrupt: width or height of 0");
  CHECK(through(Parrot({70'000, 1, 0})) == "limit: 70000x1 has a side above max_side 65500");
  CHECK(through(Parrot({1, 70'000, 0})) == "limit: 1x70000 has a side above max_side 65500");
  CHECK(through(Parrot({60'000, 60'000, 0})).starts_with("limit: 60000x60000 is above max_pixels"));
  CHECK(through(Parrot(true)) == "corrupt: parrot\\x09is silent");
  CHECK(through(Parrot(false)) == "corrupt: the codec threw something that is no std::exception");
}

}  // namespace weir::codec::test
