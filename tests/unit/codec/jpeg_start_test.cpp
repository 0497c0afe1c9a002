#include "codec/jpeg_start.hpp"

#include "codec/jpeg_memory.hpp"
#include "encoders.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

/// Other pixels in the same header.
Encoded encode(const JpegStyle& style, std::uint32_t channels, int shift) {
  auto raster = pattern(45, 37, channels);
  for (std::size_t i = 0; i < raster.values.size(); ++i)
    raster.values[i] = static_cast<std::uint8_t>(raster.values[i] * (1 + shift % 2) + 40 * shift);
  return encode_jpeg(raster, style);
}

std::size_t header_bytes(const Encoded& jpeg) {
  const auto info = Decoder(DecoderOptions{}).probe(jpeg);
  REQUIRE(info);
  return info->layout.get<JpegLayout>().scan;
}

/// libjpeg with the header of a file, and the state of it that is kept.
class Started {
 public:
  Started() {
    jpeg_.err = jpeg_std_error(&errors_);
    jpeg_create_decompress(&jpeg_);
    start_.find_objects(jpeg_);
    pristine_ = jpeg_;
  }
  ~Started() {
    jpeg_ = pristine_;
    jpeg_destroy_decompress(&jpeg_);
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  /// Whether the state was there and need not be reached.
  bool reach(const Encoded& jpeg, std::span<std::byte> memory, unsigned reduce = 1,
             J_COLOR_SPACE colours = JCS_RGB) {
    Arena arena(memory);
    const JpegStart::Of of{std::span(jpeg).first(header_bytes(jpeg)), colours, reduce};
    jpeg_ = pristine_;
    memory_.attach(jpeg_, arena);
    if (start_.restore(of, jpeg_, arena)) return true;
    CHECK(arena.taken().empty());
    jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(jpeg.data()), jpeg.size());
    jpeg_read_header(&jpeg_, TRUE);
    jpeg_.out_color_space = colours;
    jpeg_.scale_num = 8 / reduce;
    jpeg_.scale_denom = 8;
    jpeg_start_decompress(&jpeg_);
    start_.keep(of, jpeg_, arena);
    return false;
  }

 private:
  jpeg_decompress_struct jpeg_{}, pristine_{};
  jpeg_error_mgr errors_{};
  JpegMemory memory_;
  JpegStart start_;
};

}  // namespace

TEST_CASE("the third JPEG of a header needs no header", "[I6]") {
  const Encoded one = encode({}, 3, 0), other = encode({}, 3, 1),
                better = encode({.quality = 91}, 3, 0);
  REQUIRE(header_bytes(one) == header_bytes(better));
  const Scratch here(64 << 10), there(64 << 10);
  Started started;
  CHECK_FALSE(started.reach(one, here));
  CHECK_FALSE(started.reach(other, here));
  CHECK(started.reach(one, here));
  CHECK(started.reach(other, here));
  CHECK_FALSE(started.reach(one, there));
  CHECK(started.reach(one, there));
  CHECK_FALSE(started.reach(one, there, 2));
  CHECK_FALSE(started.reach(one, there));
  CHECK_FALSE(started.reach(one, there, 1, JCS_GRAYSCALE));
  CHECK_FALSE(started.reach(one, there));
  CHECK_FALSE(started.reach(better, there));
  CHECK_FALSE(started.reach(better, there));
  CHECK(started.reach(better, there));
}

TEST_CASE("a JPEG after its like equals one in a new decoder", "[I6]") {
  const std::pair<std::uint32_t, JpegStyle> styles[] = {{3, {}},
                                                        {3, {.sampling = 1}},
                                                        {3, {.sampling = 2, .rows = 1}},
                                                        {3, {.sampling = 1, .rows = 2}},
                                                        {3, {.sampling = 4, .rows = 1}},
                                                        {1, {}},
                                                        {4, {.ycck = true}},
                                                        {3, {.rgb = true}},
                                                        {3, {.arithmetic = true}},
                                                        {3, {.restart_rows = 1}},
                                                        {3, {.progressive = true}},
                                                        {3, {.optimize = true}}};
  for (const auto& [channels, style] : styles) {
    const Encoded one = encode(style, channels, 0), two = encode(style, channels, 1),
                  three = encode(style, channels, 2), like = encode({.quality = 70}, 3, 0);
    Encoded cut(two.begin(), two.end() - 60), flipped = three;
    for (std::size_t i = flipped.size() - 90; i < flipped.size() - 70; ++i)
      flipped[i] ^= std::byte{37};
    const Encoded* const files[] = {&one, &two,     &three, &cut, &one,  &flipped, &two,   &like,
                                    &one, &flipped, &cut,   &one, &like, &like,    &three, &like};
    for (const bool strict : {true, false})
      for (const auto& fit : {own_size, FitSpec{.out = {9, 8}, .fit = Fit::random}}) {
        CAPTURE(channels, style.sampling, style.rows, style.progressive, style.arithmetic, strict);
        const DecoderOptions options{.fit = fit, .strict = strict, .decode = Decode::fast};
        OneDecoder decoder(options, 1 << 20);
        for (std::uint64_t i = 0; i < std::size(files); ++i) {
          CAPTURE(i);
          const auto after = decoder.run(*files[i], i), alone = run(options, *files[i], i);
          REQUIRE(static_cast<bool>(after) == static_cast<bool>(alone));
          if (alone) {
            CHECK(after.decoded->status == alone.decoded->status);
            CHECK(after.row == alone.row);
          } else {
            CHECK(after.defect().reason == alone.defect().reason);
            CHECK(after.defect().offset == alone.defect().offset);
          }
        }
      }
  }
}

}  // namespace weir::codec::test
