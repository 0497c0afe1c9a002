#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "weir/interop/lease.hpp"

/// \file
/// OpenCV matrices as views of weir's pixels, without a copy. CMake component `opencv`. The type of a
/// matrix is CV_8UC1, CV_8UC3, CV_8UC4, CV_16UC1 or CV_16UC3, as the format has it. The channels have
/// the format's order: `Options::pixels = PixelFormat::bgr8` gives that of OpenCV's own readers. You
/// may write to a view, because the slab is written again for each batch.
namespace weir {

/// A view of the image, H x W. It does not own the batch, like the ImageView. In a transform, write
/// the result to `const cv::Mat out = as_mat(sample.row)`. If size or type differ, OpenCV then
/// throws. Without `const`, OpenCV would allocate new memory, and the row would not get the result.
inline cv::Mat as_mat(const ImageView& image) {
  const int depth = value_bytes(image.format) == 2 ? CV_16U : CV_8U;
  return {static_cast<int>(image.shape.height), static_cast<int>(image.shape.width),
          CV_MAKETYPE(depth, static_cast<int>(channels_of(image.format))),
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
  void keep(cv::Mat& mat, Lease lease) const {
    auto data = std::make_unique<cv::UMatData>(this);
    data->data = data->origdata = mat.data;
    data->size = mat.total() * mat.elemSize();
    data->userdata = new Lease(std::move(lease));
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

}  // namespace interop

/// A view of one image of the lease's batch. The matrix, its copies and its parts share the lease; a
/// clone() does not.
inline cv::Mat as_mat(Lease lease, const ImageView& image) {
  lease->held_by("cv::Mat");
  auto mat = as_mat(image);
  interop::LeaseMatAllocator::instance().keep(mat, std::move(lease));
  return mat;
}
/// One matrix for each image of a block of the lease's batch, each with a share of the lease.
inline std::vector<cv::Mat> as_mats(Lease lease, const PixelBlock& block) {
  std::vector<cv::Mat> mats;
  mats.reserve(block.count);
  for (std::uint32_t i = 0; i < block.count; ++i) mats.push_back(as_mat(lease, block.image(i)));
  return mats;
}
/// One matrix for each row of the batch, each at its own size.
inline std::vector<cv::Mat> as_mats(Lease lease) {
  std::vector<cv::Mat> mats;
  mats.reserve(lease->size());
  for (std::uint32_t i = 0; i < lease->size(); ++i) mats.push_back(as_mat(lease, lease->image(i)));
  return mats;
}
/// As above. The matrices are the only owners of the batch.
inline std::vector<cv::Mat> as_mats(Batch batch) { return as_mats(share(std::move(batch))); }

}  // namespace weir
