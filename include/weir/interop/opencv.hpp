#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "weir/interop/lease.hpp"

/// \file
/// OpenCV matrices as views of weir's pixels, without a copy. CMake component `opencv`. Pixels are
/// RGB, but OpenCV's own readers produce BGR: cv::cvtColor(mat, other, cv::COLOR_RGB2BGR). You may
/// write to a view, because the slab is written again for each batch.
namespace weir {

/// A view of the image, H x W of CV_8UC3. It does not own the batch, like the ImageView. In a
/// transform, write the result to `const cv::Mat out = as_mat(sample.row)`. If size or type differ,
/// OpenCV then throws. Without `const`, OpenCV would allocate new memory, and the row would not get
/// the result.
inline cv::Mat as_mat(const ImageView& image) {
  return {static_cast<int>(image.shape.height), static_cast<int>(image.shape.width),
          CV_8UC(static_cast<int>(channels_of(image.format))),
          const_cast<std::uint8_t*>(image.data), image.row_stride};
}

namespace interop {

/// Keeps a Lease until no cv::Mat refers to its pixels, including copies and parts of a matrix. New
/// allocations use OpenCV's own allocator.
class LeaseMatAllocator final : public cv::MatAllocator {
 public:
  static const LeaseMatAllocator& instance() {
    static const LeaseMatAllocator allocator;
    return allocator;
  }
  void keep(cv::Mat& mat, const Lease& lease) const {
    auto data = std::make_unique<cv::UMatData>(this);
    data->data = data->origdata = mat.data;
    data->size = mat.total() * mat.elemSize();
    data->userdata = new Lease(lease);
    data->refcount = 1;
    mat.u = data.release();
  }

  cv::UMatData* allocate(int dims, const int* sizes, int type, void* data, std::size_t* step,
                         cv::AccessFlag flags, cv::UMatUsageFlags usage) const override {
    return cv::Mat::getStdAllocator()->allocate(dims, sizes, type, data, step, flags, usage);
  }
  bool allocate(cv::UMatData* data, cv::AccessFlag flags, cv::UMatUsageFlags usage) const override {
    return cv::Mat::getStdAllocator()->allocate(data, flags, usage);
  }
  void deallocate(cv::UMatData* data) const override {
    if (!data) return;
    delete static_cast<Lease*>(data->userdata);
    delete data;
  }
};

/// One matrix per row, made from the image that `view` returns. Each matrix shares the lease.
template <class View>
std::vector<cv::Mat> kept_mats(Lease&& lease, View view) {
  lease->held_by("cv::Mat");
  std::vector<cv::Mat> mats;
  mats.reserve(lease->size());
  for (std::uint32_t i = 0; i < lease->size(); ++i)
    LeaseMatAllocator::instance().keep(mats.emplace_back(as_mat(view(i))), lease);
  return mats;
}

}  // namespace interop

/// One matrix per image, H x W of CV_8UC3 in the slab, each at its own size. Each matrix, its
/// copies and its parts share the lease; a clone() does not.
inline std::vector<cv::Mat> as_mats(Lease lease) {
  const Batch& batch = *lease;
  return interop::kept_mats(std::move(lease), [&](std::uint32_t i) { return batch.image(i); });
}
/// As above. The matrices are the only owners of the batch.
inline std::vector<cv::Mat> as_mats(Batch batch) { return as_mats(share(std::move(batch))); }
/// Second images (Options::side_bytes, weir::with_plane), H x W of `format`.
/// Otherwise as as_mats(). Throws as Batch::side_pixels() does.
inline std::vector<cv::Mat> side_as_mats(Lease lease, ImageSize shape,
                                         PixelFormat format = PixelFormat::rgb8) {
  const auto block = lease->side_pixels(shape, format);
  return interop::kept_mats(std::move(lease), [&](std::uint32_t i) { return block.image(i); });
}

}  // namespace weir
