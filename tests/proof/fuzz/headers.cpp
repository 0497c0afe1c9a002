#include "codec/format.hpp"
#include "targets.hpp"

namespace weir::fuzz {
namespace {

using codec::Bytes;
using codec::ImageInfo;

Bytes bytes_of(Input input) { return Bytes(std::as_bytes(input)); }

void check(const Result<ImageInfo>& result, std::size_t size) {
  if (!result) {
    must(!result.defect().reason.empty(), "a defect has a reason");
    must(!result.defect().offset || *result.defect().offset <= size, "an offset lies in the file");
    return;
  }
  must(result->width > 0 && result->height > 0, "an image that is accepted has pixels");
  must(result->channels >= 1 && result->channels <= 4, "it has one to four channels");
  must(result->orientation >= 1 && result->orientation <= 8, "EXIF knows orientations 1 to 8");
}

}  // namespace

bool jpeg_header(Input input) {
  const auto encoded = bytes_of(input);
  if (encoded.size() < 2) return false;
  const auto strict = codec::read_jpeg_header(encoded, {}, true);
  const auto lenient = codec::read_jpeg_header(encoded, {}, false);
  check(strict, input.size());
  check(lenient, input.size());
  must(!strict || (lenient && !lenient->damaged), "what strict takes, lenient takes as sound");
  if (lenient) {
    const auto layout = lenient->layout.get<codec::JpegLayout>();
    for (std::size_t i = 0; i < lenient->channels; ++i) {
      const auto across = layout.horizontal[i], down = layout.vertical[i];
      must(across >= 1 && across <= 4 && down >= 1 && down <= 4, "sampling factors are 1 to 4");
    }
    must(layout.size + 4 < layout.scan && layout.scan <= input.size(), "the header is in the file");
  }
  const auto pending = input.back();
  (void)codec::jpeg_reaches_end(encoded, 0);
  (void)codec::jpeg_reaches_end(encoded, pending);
  return true;
}

bool png_header(Input input) {
  const auto encoded = bytes_of(input);
  const auto strict = codec::read_png_header(encoded, {}, true);
  const auto lenient = codec::read_png_header(encoded, {}, false);
  check(strict, input.size());
  check(lenient, input.size());
  must(!strict || (lenient && !lenient->damaged), "what strict takes, lenient takes as sound");
  return true;
}

bool webp_header(Input input) {
  const auto encoded = bytes_of(input);
  const auto strict = codec::read_webp_header(encoded, {}, true);
  const auto lenient = codec::read_webp_header(encoded, {}, false);
  check(strict, input.size());
  check(lenient, input.size());
  must(!strict || (lenient && !lenient->damaged), "what strict takes, lenient takes as sound");
  return true;
}

bool pnm_header(Input input) {
  const auto encoded = bytes_of(input);
  if (encoded.size() < 2) return false;
  const auto strict = codec::read_pnm_header(encoded, {}, true);
  const auto lenient = codec::read_pnm_header(encoded, {}, false);
  check(strict, input.size());
  check(lenient, input.size());
  must(!strict || (lenient && !lenient->damaged), "what strict takes, lenient takes as sound");
  if (lenient)
    must(lenient->layout.get<codec::PnmLayout>().start <= input.size(), "pixels lie in the file");
  return true;
}

bool exif(Input input) {
  const auto orientation = codec::exif_orientation(bytes_of(input));
  must(orientation >= 1 && orientation <= 8, "EXIF knows orientations 1 to 8");
  return true;
}

}  // namespace weir::fuzz
