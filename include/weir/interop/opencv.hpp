#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "weir/interop/lease.hpp"

/// \file
/// OpenCV's matrices on weir's pixels, without a copy. CMake component `opencv`. Pixels are RGB, where
/// OpenCV's own readers give BGR: cv::cvtColor(mat, other, cv::COLOR_RGB2BGR). A slab is filled anew
/// for each batch, so what is written into a view is nobody else's concern.
namespace weir {

/// H x W of CV_8UC3 where the image lies. Like the ImageView it does not keep the batch. In a transform
/// as_mat(sample.row) is where the result goes: as a `const cv::Mat` it is written where it lies, or OpenCV
/// throws; one that is not const gets memory of its own where size or type do not fit, and the row nothing.
inline cv::Mat as_mat(const ImageView& image) {
  return {static_cast<int>(image.shape.height), static_cast<int>(image.shape.width),
          CV_8UC(static_cast<int>(image.shape.channels)), const_cast<std::uint8_t*>(image.data),
          image.row_stride};
}

namespace interop {

/// Keeps a Lease for as long as a cv::Mat, its copies and parts refer to its pixels. What such a matrix
/// allocates anew comes from OpenCV's own allocator.
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

/// A matrix a row, of the image that `view` gives of it; each shares the lease.
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

/// One matrix an image, H x W of CV_8UC3 in the slab, each at its own size where sizes differ. Each shares
/// the lease, and so does what is copied or cut from it; a clone() does not.
inline std::vector<cv::Mat> as_mats(Lease lease) {
  const Batch& batch = *lease;
  return interop::kept_mats(std::move(lease), [&](std::uint32_t i) { return batch.image(i); });
}
/// The same of a batch that nothing else shares.
inline std::vector<cv::Mat> as_mats(Batch batch) { return as_mats(share(std::move(batch))); }
/// Second images (Options::side_bytes, weir::paired) beside the pixels, H x W of 8 bits and shape.channels
/// each, otherwise as as_mats(). Throws Error{bad_options} where shape.values() is not side_bytes.
inline std::vector<cv::Mat> side_as_mats(Lease lease, Shape shape) {
  const auto* const first = lease->side_pixels(shape).pixels.data();
  return interop::kept_mats(std::move(lease), [&](std::uint32_t i) {
    return ImageView{first + i * shape.values(), shape, std::size_t{shape.width} * shape.channels};
  });
}

}  // namespace weir
