#include "weir/interop/opencv_codec.hpp"

#include <algorithm>
#include <cstring>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "base/text.hpp"
#include "codec/imgcodecs/headers.hpp"

namespace weir {
namespace {

using imgcodecs::require;

constexpr const char* changed = "OpenCV makes another image of it than the header says";

using HeaderReader = imgcodecs::Header (*)(codec::Bytes encoded);

// The list of allowed formats; null for others. PFM ("PF", "Pf") and other formats for which OpenCV
// writes temporary files are not allowed.
HeaderReader reader_of(codec::Bytes head) noexcept {
  if (head.matches(0, "BM")) return imgcodecs::read_bitmap_header;
  if (head.matches(0, std::string_view("II*\0", 4)) ||
      head.matches(0, std::string_view("MM\0*", 4)))
    return imgcodecs::read_tiff_header;
  const bool netpbm = head.has(0, 3) && head.u8(0) == 'P' && head.u8(1) >= '1' && head.u8(1) <= '6';
  const bool blank = netpbm && (head.u8(2) == ' ' || (head.u8(2) >= '\t' && head.u8(2) <= '\r'));
  return blank ? imgcodecs::read_netpbm_header : nullptr;
}

imgcodecs::Header header_of(std::span<const std::byte> encoded) {
  const codec::Bytes bytes(encoded);
  const HeaderReader reader = reader_of(bytes);
  require(reader != nullptr, FaultKind::unsupported, "neither BMP, TIFF nor PNM");
  const auto header = reader(bytes);
  require(header.most != 0 || header.narrow_defect == nullptr, FaultKind::unsupported,
          header.narrow_defect);
  return header;
}

/// Throws SampleError unless OpenCV gives right values in this format.
void check(const imgcodecs::Header& header, PixelFormat format) {
  if (value_bytes(format) == 2) {
    require(header.most != 0, FaultKind::unsupported,
            "OpenCV does not keep the values of this kind of file; use rgb8");
    require(header.stored || format != PixelFormat::stored16, FaultKind::unsupported,
            "OpenCV does not give it as stored values of one channel; use rgb16 or grey16");
  } else if (header.narrow_defect != nullptr) {
    throw SampleError(
        FaultKind::unsupported,
        concat(header.narrow_defect, "; use ", header.stored ? "grey16 or stored16" : "rgb16"));
  }
}

/// Throws SampleError unless the image has the size of the header.
cv::Mat read(std::span<const std::byte> encoded, const ForeignCodec::Info& info,
             const imgcodecs::Header& header, int flags) {
  cv::Mat input(1, static_cast<int>(encoded.size()), CV_8U, const_cast<std::byte*>(encoded.data()));
  if (header.ones != decltype(header.ones){}) input = input.clone();
  for (const std::size_t at : header.ones)
    if (at != 0) input.data[at] = 1;
  cv::Mat image;
  try {
    image = cv::imdecode(input, flags | cv::IMREAD_IGNORE_ORIENTATION);
  } catch (const cv::Exception& error) {
    throw SampleError(error.code == cv::Error::StsNoMem ? FaultKind::memory : FaultKind::corrupt,
                      error.err);
  }
  require(!image.empty() || header.undecoded == nullptr, FaultKind::unsupported, header.undecoded);
  require(!image.empty(), FaultKind::corrupt, "OpenCV cannot decode it");
  require(static_cast<std::uint32_t>(image.cols) == info.width &&
              static_cast<std::uint32_t>(image.rows) == info.height,
          FaultKind::unsupported, changed);
  return image;
}

/// Writes the image in a format of 16 bits, or the high bytes of rgb16. All but stored16 have values
/// from 0 to 65535.
template <class Value>
void write(const cv::Mat& image, PixelFormat format, std::uint32_t most, std::uint8_t* to) {
  const auto bytes = value_bytes(format);
  const auto put = [&to, bytes](std::uint32_t value) {
    if (bytes == 1) {
      *to++ = static_cast<std::uint8_t>(value >> 8);
      return;
    }
    const auto narrow = static_cast<std::uint16_t>(value);
    std::memcpy(to, &narrow, sizeof(narrow));
    to += sizeof(narrow);
  };
  const auto full = [most](std::uint32_t value) {
    return (std::min(value, most) * 65535u + most / 2) / most;
  };
  const int channels = image.channels(), last = channels - 1;
  for (int y = 0; y < image.rows; ++y) {
    const auto* bgr = image.ptr<Value>(y);
    for (int x = 0; x < image.cols; ++x, bgr += channels) {
      const auto r = full(bgr[last]), g = full(bgr[last / 2]), b = full(bgr[0]);
      if (format == PixelFormat::stored16) {
        put(bgr[0]);
      } else if (format == PixelFormat::grey16) {
        put((19595 * r + 38470 * g + 7471 * b + 32768) >> 16);
      } else {
        put(format == PixelFormat::bgr8 ? b : r);
        put(g);
        put(format == PixelFormat::bgr8 ? r : b);
      }
    }
  }
}

class OpenCvCodec final : public ForeignCodec {
 public:
  bool accepts(std::span<const std::byte> head) const noexcept override {
    return reader_of(codec::Bytes(head)) != nullptr;
  }

  Info info(std::span<const std::byte> encoded) const override {
    const auto header = header_of(encoded);
    return {header.width, header.height, header.bytes + encoded.size() + fixed_bytes};
  }

  bool writes(PixelFormat format) const noexcept override {
    return format == PixelFormat::rgb8 || format == PixelFormat::bgr8 ||
           format == PixelFormat::grey16 || format == PixelFormat::rgb16 ||
           format == PixelFormat::stored16;
  }

  void decode(PixelFormat format, std::span<const std::byte> encoded, const Info& info,
              std::span<std::uint8_t> pixels) const override {
    const auto header = header_of(encoded);
    check(header, format);
    // OpenCV reduces 16 bits with another function of libtiff, which misreads some tiles and hides
    // damage.
    if (value_bytes(format) == 2 || header.most > 255)
      return decode_deep(format, encoded, info, header, pixels.data());
    const auto bgr = read(encoded, info, header, cv::IMREAD_COLOR);
    require(bgr.type() == CV_8UC3, FaultKind::unsupported, changed);
    cv::Mat out(bgr.rows, bgr.cols, CV_8UC3, pixels.data());
    if (format == PixelFormat::bgr8)
      bgr.copyTo(out);
    else
      cv::cvtColor(bgr, out, cv::COLOR_BGR2RGB);
  }

 private:
  static void decode_deep(PixelFormat format, std::span<const std::byte> encoded, const Info& info,
                          const imgcodecs::Header& header, std::uint8_t* to) {
    // IMREAD_ANYCOLOR makes grey of coloured BMPs with a header of 12 bytes.
    const auto image =
        read(encoded, info, header,
             cv::IMREAD_ANYDEPTH | (header.stored ? cv::IMREAD_ANYCOLOR : cv::IMREAD_COLOR));
    const bool deep = header.most > 255;
    require(image.type() == CV_MAKETYPE(deep ? CV_16U : CV_8U, header.stored ? 1 : 3),
            FaultKind::unsupported, changed);
    if (deep)
      write<std::uint16_t>(image, format, header.most, to);
    else
      write<std::uint8_t>(image, format, header.most, to);
  }

  static constexpr std::uint64_t fixed_bytes = 1 << 20;
};

}  // namespace

std::shared_ptr<const ForeignCodec> opencv_codec() { return std::make_shared<const OpenCvCodec>(); }

}  // namespace weir
