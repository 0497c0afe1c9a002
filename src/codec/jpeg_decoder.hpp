#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "codec/format.hpp"

namespace weir::codec {

/// The properties of a JPEG frame that determine the memory of its decode.
struct JpegLayout {
  std::array<std::uint8_t, 4> horizontal{}, vertical{};  ///< sampling factors by component, 1-4
  bool several_scans = false;  ///< the decoder keeps the coefficients of the whole image

  /// The largest factors. A component of full size has them.
  std::uint32_t most_across() const noexcept { return *std::ranges::max_element(horizontal); }
  std::uint32_t most_down() const noexcept { return *std::ranges::max_element(vertical); }
};

/// Format::need and Format::reduces. libjpeg-turbo 2.1 cannot correctly crop every image that it
/// reduces.
CanvasNeed jpeg_need(const ImageInfo& info, const Rect& source, std::uint32_t reduce) noexcept;
bool jpeg_reduces(const ImageInfo& info) noexcept;

/// libjpeg-turbo with a struct that is created once, and with memory from the job's arena. Not
/// thread-safe.
class JpegDecoder final : public FormatDecoder {
 public:
  struct Session;

  JpegDecoder();
  ~JpegDecoder() override;
  Result<RowStatus> decode(const DecodeJob& job) override;

 private:
  Result<RowStatus> decode_once(const DecodeJob& job);

  std::unique_ptr<Session> session_;
};

}  // namespace weir::codec
