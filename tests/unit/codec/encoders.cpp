#include "encoders.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <jerror.h>
#include <jpeglib.h>
#include <png.h>
#include <webp/decode.h>
#include <webp/encode.h>

namespace weir::codec::test {
namespace {

[[noreturn]] void on_jpeg_error(j_common_ptr) { throw std::runtime_error("libjpeg in the test"); }

// libjpeg warns about unused bytes after a scan. Up to 7 may be an encoder's padding.
void on_jpeg_message(j_common_ptr jpeg, int level) {
  const int code = jpeg->err->msg_code;
  if (level >= 0 || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM) return;
  const bool in_header = reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number == 0;
  if (code == JWRN_EXTRANEOUS_DATA && (in_header || jpeg->err->msg_parm.i[0] < 8)) return;
  on_jpeg_error(jpeg);
}

/// Reads rows one after the other: a damaged header may claim more than exist.
Raster decode_jpeg_by(jpeg_decompress_struct& jpeg, std::span<const std::byte> encoded) {
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(encoded.data()), encoded.size());
  jpeg_read_header(&jpeg, TRUE);
  constexpr std::uint64_t most_pixels = 100'000'000;  // weir's own limit
  if (std::uint64_t{jpeg.image_width} * jpeg.image_height > most_pixels)
    throw std::runtime_error("more pixels than a test has memory for");
  jpeg.out_color_space = jpeg.num_components == 4   ? JCS_CMYK
                         : jpeg.num_components == 1 ? JCS_GRAYSCALE
                                                    : JCS_RGB;
  jpeg_start_decompress(&jpeg);
  Raster raster{jpeg.output_width, jpeg.output_height,
                static_cast<std::uint32_t>(jpeg.output_components)};
  const std::size_t stride = std::size_t{raster.width} * raster.channels;
  while (jpeg.output_scanline < jpeg.output_height) {
    raster.values.resize(stride * (jpeg.output_scanline + 1));
    JSAMPROW row = raster.values.data() + jpeg.output_scanline * stride;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  raster.adobe = jpeg.saw_Adobe_marker != FALSE;
  jpeg_finish_decompress(&jpeg);
  return raster;
}

}  // namespace

Encoded encode_jpeg(const Raster& raster, const JpegStyle& style) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors;
  jpeg.err = jpeg_std_error(&errors);
  errors.error_exit = on_jpeg_error;
  jpeg_create_compress(&jpeg);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &memory, &size);
  jpeg.image_width = raster.width;
  jpeg.image_height = raster.height;
  jpeg.input_components = static_cast<int>(raster.channels);
  jpeg.in_color_space = raster.channels == 1   ? JCS_GRAYSCALE
                        : raster.channels == 3 ? JCS_RGB
                                               : JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  if (style.rgb) jpeg_set_colorspace(&jpeg, JCS_RGB);
  if (style.ycck) jpeg_set_colorspace(&jpeg, JCS_YCCK);
  jpeg_set_quality(&jpeg, style.quality, TRUE);
  if (raster.channels != 4) {
    jpeg.comp_info[0].h_samp_factor = style.sampling;
    jpeg.comp_info[0].v_samp_factor = style.rows == 0 ? style.sampling : style.rows;
  }
  for (int i = 1; i < jpeg.num_components && raster.channels == 3; ++i) {
    jpeg.comp_info[i].h_samp_factor = style.chroma;
    jpeg.comp_info[i].v_samp_factor = style.chroma_rows;
  }
  if (raster.channels == 4) jpeg.write_Adobe_marker = style.adobe_cmyk ? TRUE : FALSE;
  jpeg.arith_code = style.arithmetic ? TRUE : FALSE;
  jpeg.optimize_coding = style.optimize ? TRUE : FALSE;
  jpeg.restart_in_rows = style.restart_rows;
  jpeg.restart_interval = style.restart_interval;
  if (style.progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  const std::size_t stride = std::size_t{raster.width} * raster.channels;
  while (jpeg.next_scanline < jpeg.image_height) {
    auto* row = const_cast<JSAMPLE*>(raster.values.data() + jpeg.next_scanline * stride);
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  Encoded encoded = to_bytes({memory, size});
  std::free(memory);
  return encoded;
}

Encoded with_restart_interval(const Encoded& jpeg, unsigned interval) {
  jpeg_decompress_struct in{};
  jpeg_compress_struct out{};
  jpeg_error_mgr errors;
  in.err = out.err = jpeg_std_error(&errors);
  errors.error_exit = on_jpeg_error;
  jpeg_create_decompress(&in);
  jpeg_create_compress(&out);
  jpeg_mem_src(&in, reinterpret_cast<const unsigned char*>(jpeg.data()), jpeg.size());
  jpeg_read_header(&in, TRUE);
  auto* const coefficients = jpeg_read_coefficients(&in);
  jpeg_copy_critical_parameters(&in, &out);
  out.restart_interval = interval;
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&out, &memory, &size);
  jpeg_write_coefficients(&out, coefficients);
  jpeg_finish_compress(&out);
  Encoded encoded = to_bytes({memory, size});
  jpeg_destroy_compress(&out);
  jpeg_destroy_decompress(&in);
  std::free(memory);
  return encoded;
}

Raster reference_jpeg(const Encoded& encoded) {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors;
  jpeg.err = jpeg_std_error(&errors);
  errors.error_exit = on_jpeg_error;
  Raster raster = decode_jpeg_by(jpeg, encoded);
  jpeg_destroy_decompress(&jpeg);
  return raster;
}

std::optional<Raster> reference_strict(std::span<const std::byte> encoded) {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors;
  jpeg.err = jpeg_std_error(&errors);
  errors.error_exit = on_jpeg_error;
  errors.emit_message = on_jpeg_message;
  std::optional<Raster> raster;
  try {
    raster = decode_jpeg_by(jpeg, encoded);
  } catch (const std::runtime_error&) {
  }
  jpeg_destroy_decompress(&jpeg);
  return raster;
}

Encoded with_exif(const Encoded& encoded, std::uint8_t orientation, bool little_endian) {
  const Pixels little = {0xff, 0xe1, 0, 34, 'E',         'x', 'i', 'f', 0,    0, 'I', 'I',
                         42,   0,    8, 0,  0,           0,   1,   0,   0x12, 1, 3,   0,
                         1,    0,    0, 0,  orientation, 0,   0,   0,   0,    0, 0,   0};
  const Pixels big = {0xff, 0xe1, 0, 34, 'E', 'x',         'i', 'f', 0, 0,    'M', 'M',
                      0,    42,   0, 0,  0,   8,           0,   1,   1, 0x12, 0,   3,
                      0,    0,    0, 1,  0,   orientation, 0,   0,   0, 0,    0,   0};
  Encoded result = encoded;
  const Encoded segment = to_bytes(little_endian ? little : big);
  result.insert(result.begin() + 2, segment.begin(), segment.end());
  return result;
}

Encoded encode_png(std::uint32_t width, std::uint32_t height, const Pixels& packed,
                   const PngStyle& style) {
  Encoded encoded;
  png_structp png = png_create_write_struct(
      PNG_LIBPNG_VER_STRING, nullptr,
      [](png_structp, png_const_charp why) { throw std::runtime_error(why); },
      [](png_structp, png_const_charp) {});
  png_infop info = png_create_info_struct(png);
  png_set_check_for_invalid_index(png, 0);  // tests write them; a newer libpng refuses
  png_set_write_fn(
      png, &encoded,
      [](png_structp p, png_bytep data, png_size_t size) {
        const Encoded bytes = to_bytes({data, size});
        auto& out = *static_cast<Encoded*>(png_get_io_ptr(p));
        out.insert(out.end(), bytes.begin(), bytes.end());
      },
      [](png_structp) {});
  png_set_IHDR(png, info, width, height, style.depth, style.colour,
               style.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0, 0);
  std::vector<png_color> palette(style.palette_size);
  Pixels alpha(style.palette_size);
  for (std::size_t i = 0; i < palette.size(); ++i) {
    palette[i] = {palette_entry(i, 0), palette_entry(i, 1), palette_entry(i, 2)};
    alpha[i] = static_cast<std::uint8_t>(i * 3);
  }
  png_color_16 key{.index = 0, .red = 1, .green = 2, .blue = 3, .gray = 1};
  if (style.colour == PNG_COLOR_TYPE_PALETTE)
    png_set_PLTE(png, info, palette.data(), static_cast<int>(palette.size()));
  if (style.transparency) {
    png_set_tRNS(png, info, style.colour == 3 ? alpha.data() : nullptr,
                 static_cast<int>(palette.size()), &key);
  }
  png_write_info(png, info);
  const std::size_t stride = packed.size() / height;
  const int passes = png_set_interlace_handling(png);
  for (int pass = 0; pass < passes; ++pass) {
    for (std::uint32_t y = 0; y < height; ++y) png_write_row(png, packed.data() + y * stride);
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return encoded;
}

Encoded encode_webp(const Raster& raster, std::optional<float> lossy_quality) {
  std::uint8_t* memory = nullptr;
  const int width = static_cast<int>(raster.width), height = static_cast<int>(raster.height);
  const int stride = width * static_cast<int>(raster.channels);
  const auto* data = raster.values.data();
  const bool alpha = raster.channels == 4;
  const std::size_t size = lossy_quality ? (alpha ? WebPEncodeRGBA : WebPEncodeRGB)(
                                               data, width, height, stride, *lossy_quality, &memory)
                                         : (alpha ? WebPEncodeLosslessRGBA : WebPEncodeLosslessRGB)(
                                               data, width, height, stride, &memory);
  Encoded encoded = to_bytes({memory, size});
  WebPFree(memory);
  return encoded;
}

Raster reference_webp(const Encoded& encoded) {
  int width = 0, height = 0;
  std::uint8_t* memory = WebPDecodeRGB(reinterpret_cast<const std::uint8_t*>(encoded.data()),
                                       encoded.size(), &width, &height);
  if (memory == nullptr) throw std::runtime_error("libwebp in the test");
  Raster raster{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), 3};
  raster.values.assign(memory, memory + std::size_t{raster.width} * raster.height * 3);
  WebPFree(memory);
  return raster;
}

}  // namespace weir::codec::test
