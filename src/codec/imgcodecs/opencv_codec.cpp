#include "weir/interop/opencv_codec.hpp"

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "codec/imgcodecs/headers.hpp"

namespace weir {
namespace {

using imgcodecs::require;

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

class OpenCvCodec final : public ForeignCodec {
 public:
  bool accepts(std::span<const std::byte> head) const noexcept override {
    return reader_of(codec::Bytes(head)) != nullptr;
  }

  Info info(std::span<const std::byte> encoded) const override {
    const codec::Bytes bytes(encoded);
    const HeaderReader reader = reader_of(bytes);
    require(reader != nullptr, FaultKind::unsupported, "neither BMP, TIFF nor PNM");
    const auto header = reader(bytes);
    return {header.width, header.height, header.bytes + encoded.size() + fixed_bytes};
  }

  void decode(std::span<const std::byte> encoded, const Info& info,
              std::span<std::uint8_t> rgb) const override {
    const cv::Mat input(1, static_cast<int>(encoded.size()), CV_8U,
                        const_cast<std::byte*>(encoded.data()));
    cv::Mat bgr;
    try {
      bgr = cv::imdecode(input, cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION);
    } catch (const cv::Exception& error) {
      throw SampleError(error.code == cv::Error::StsNoMem ? FaultKind::memory : FaultKind::corrupt,
                        error.err);
    }
    require(!bgr.empty(), FaultKind::corrupt, "OpenCV cannot decode it");
    require(bgr.type() == CV_8UC3 && static_cast<std::uint32_t>(bgr.cols) == info.width &&
                static_cast<std::uint32_t>(bgr.rows) == info.height,
            FaultKind::unsupported, "OpenCV makes another image of it than the header says");
    cv::Mat out(bgr.rows, bgr.cols, CV_8UC3, rgb.data());
    cv::cvtColor(bgr, out, cv::COLOR_BGR2RGB);
  }

 private:
  static constexpr std::uint64_t fixed_bytes = 1 << 20;
};

}  // namespace

std::shared_ptr<const ForeignCodec> opencv_codec() { return std::make_shared<const OpenCvCodec>(); }

}  // namespace weir
