#pragma once
#include <weir/interop/torch.hpp>
#include <weir/weir.hpp>

#include "tensor_batch.hpp"

namespace replacing {

class WeirTensorLoader {
 public:
  explicit WeirTensorLoader(Settings settings) : s_(std::move(settings)) {}
  std::size_t size() const { return loader_.size(); }
  std::vector<std::string> class_names() const { return loader_.class_names(); }
  bool next(TensorBatch& out) {
    if (std::exchange(ended_, false)) return false;
    const auto batch = stream_.next();
    if (!batch) return false;
    ended_ = batch->last_of_epoch();
    out.images = weir::to_tensor(batch->pixels(), to_float_);
    out.labels = torch::tensor(torch::makeArrayRef(batch->labels().data(), batch->size()));
    out.paths.clear();
    for (const auto i : batch->indices()) out.paths.push_back(s_.root + "/" + loader_.name(i));
    return true;
  }

 private:
  Settings s_;
  weir::Loader loader_{weir::image_folder(s_.root),
                       {.shape = {s_.side, s_.side},
                        .fit = weir::Fit::stretch,
                        .order = weir::Order::shuffle(s_.shuffle),
                        .batch = s_.batch,
                        .workers = s_.workers,
                        .queue = {.max_queue_size = s_.queue},
                        .seed = s_.seed}};
  weir::Stream stream_ = loader_.stream({.epochs = std::nullopt});
  weir::Converter<float> to_float_{{.mean = {.5, .5, .5}, .stddev = {.5, .5, .5}}};
  bool ended_ = false;
};

}  // namespace replacing
