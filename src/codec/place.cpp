#include "codec/place.hpp"

#include <cstring>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

namespace weir::codec {
namespace {

struct Pixels {
  std::uint8_t* data;
  std::size_t stride;
  std::uint32_t width, height;

  cv::Mat mat() const {
    return {static_cast<int>(height), static_cast<int>(width), CV_8UC3, data, stride};
  }
};

void copy(const Pixels& from, const Pixels& to) {
  for (std::uint32_t y = 0; y < to.height; ++y) {
    std::memcpy(to.data + y * to.stride, from.data + y * from.stride, to.width * pixel_bytes);
  }
}

void copy_turned(const Pixels& from, Turn turn, const Pixels& to) {
  for (std::uint32_t y = 0; y < to.height; ++y) {
    const Rect first = turn.stored({0, y, 1, 1}, from.width, from.height);
    const bool backwards = turn.transpose ? turn.mirror_y : turn.mirror_x;
    const auto unit = static_cast<std::ptrdiff_t>(turn.transpose ? from.stride : pixel_bytes);
    const std::ptrdiff_t step = backwards ? -unit : unit;
    const std::uint8_t* pixel = from.data + first.y * from.stride + first.x * pixel_bytes;
    std::uint8_t* out = to.data + y * to.stride;
    for (std::uint32_t x = 0; x < to.width; ++x, out += pixel_bytes) {
      std::memcpy(out, pixel + static_cast<std::ptrdiff_t>(x) * step, pixel_bytes);
    }
  }
}

// The output is a view of memory of the right size and type, so OpenCV does not allocate it.
void resample(const Pixels& from, const Pixels& to) {
  cv::Mat out = to.mat();
  cv::resize(from.mat(), out, out.size(), 0, 0, cv::INTER_LINEAR);
}

}  // namespace

void place(const Placement& placement, const Canvas& canvas, std::uint8_t* patch_memory,
           std::uint8_t* row) {
  const auto& [source, turn, target, out] = placement;
  const std::size_t stride = out.width * pixel_bytes;
  const Pixels from{canvas.at(source.x, source.y), canvas.stride, source.width, source.height};
  const Pixels to{row + target.y * stride + target.x * pixel_bytes, stride, target.width,
                  target.height};
  if (turn.identity()) {
    if (placement.resamples())
      resample(from, to);
    else
      copy(from, to);
  } else if (placement.resamples()) {
    const Pixels patch{patch_memory, placement.patch_width() * pixel_bytes, placement.patch_width(),
                       placement.patch_height()};
    resample(from, patch);
    copy_turned(patch, turn, to);
  } else {
    copy_turned(from, turn, to);
  }
}

void zero_around(const Rect& target, const Shape& out, std::uint8_t* row) {
  const std::size_t stride = out.width * pixel_bytes;
  const std::size_t left = target.x * pixel_bytes,
                    right = (std::size_t{target.x} + target.width) * pixel_bytes;
  const std::size_t bottom = std::size_t{target.y} + target.height;
  std::memset(row, 0, target.y * stride);
  for (std::size_t y = target.y; y < bottom; ++y) {
    std::memset(row + y * stride, 0, left);
    std::memset(row + y * stride + right, 0, stride - right);
  }
  std::memset(row + bottom * stride, 0, (out.height - bottom) * stride);
}

}  // namespace weir::codec
