#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <weir/weir.hpp>

#include "../boxes.hpp"

namespace detection {

/// loss_targets() as a tensor of K x 6, as YOLO's losses take it: row, class, and a box by its centre and
/// sides.
template <class ClassOf>
torch::Tensor box_targets(const weir::Batch& batch, const ClassOf& class_of) {
  auto targets = loss_targets(batch, class_of);
  const auto count = static_cast<std::int64_t>(targets.size());
  return torch::from_blob(targets.data(), {count, 6}).clone();
}

}  // namespace detection
