#include "weir/interop/opencv_codec.hpp"

#include "codec/format.hpp"
#include "codec/imgcodecs/headers.hpp"
#include "targets.hpp"
#include "unit/codec/support.hpp"

namespace weir::fuzz {
namespace {

template <class Read>
void only_sample_errors(const Read& read, Input input) {
  try {
    (void)read(codec::Bytes(std::as_bytes(input)));
  } catch (const SampleError& error) {
    must(error.what()[0] != '\0', "a refusal has a reason");
  }
}

}  // namespace

bool foreign_header(Input input) {
  const auto codec = opencv_codec();
  const auto head = std::as_bytes(input.first(std::min<std::size_t>(input.size(), 16)));
  if (!codec->accepts(head)) return false;
  const bool bitmap = input[0] == 'B', netpbm = input[0] == 'P';
  only_sample_errors(bitmap   ? imgcodecs::read_bitmap_header
                     : netpbm ? imgcodecs::read_netpbm_header
                              : imgcodecs::read_tiff_header,
                     input);
  return true;
}

bool foreign_decode(Input input) {
  codec::DecoderOptions options{
      .fit = {.fit = Fit::stretch},
      .pixels = input.size() % 2 == 0 ? PixelFormat::rgb8 : PixelFormat::rgb16,
      .limits = {.max_pixels = 1u << 18, .max_side = 1u << 11},
      .codecs = {opencv_codec()}};
  options.fit.out = {17, 19};
  const auto encoded = std::as_bytes(input);
  const auto info = codec::Decoder(options).probe(encoded);
  if (!info || info->format != &codec::foreign_format) return false;
  const auto first = codec::test::run(options, encoded, 0, 0xa5);
  const auto second = codec::test::run(options, encoded, 0, 0x5a);
  must(static_cast<bool>(first.decoded) == static_cast<bool>(second.decoded), "verdicts repeat");
  must(!first.decoded || first.row == second.row, "no byte depends on what the memory held before");
  return true;
}

}  // namespace weir::fuzz
