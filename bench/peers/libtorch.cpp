// libtorch's DataLoader as in its documentation: a Dataset, a Stack transform, worker threads.
#include <torch/torch.h>

#include "photos.hpp"

using namespace peers;

namespace {

class PhotoDataset : public torch::data::datasets::Dataset<PhotoDataset> {
 public:
  PhotoDataset(const Photos& photos, std::int64_t side) : photos_(&photos), side_(side) {}
  /// Writes the floats to their final position, which is faster than a chain of tensor operations.
  torch::data::Example<> get(std::size_t i) override {
    auto image = torch::empty({3, side_, side_});
    photos_->load(i, image.data_ptr<float>());
    return {image, torch::zeros({}, torch::kLong)};
  }
  torch::optional<std::size_t> size() const override { return photos_->size(); }

 private:
  const Photos* photos_;
  std::int64_t side_;
};

}  // namespace

int main(int argc, char** argv) {
  const Task task = Task::parse(argc, argv);
  torch::set_num_threads(1);  // the workers are the parallelism
  const Photos photos(task);
  // Photos already shuffles the order, so that the end of an epoch is no pause.
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      PhotoDataset(photos, static_cast<std::int64_t>(task.size))
          .map(torch::data::transforms::Stack<>()),
      torch::data::DataLoaderOptions()
          .batch_size(task.batch)
          .workers(task.workers)
          .max_jobs(task.queue)
          .enforce_ordering(true));
  Consumer consumer(task);
  for (auto& batch : *loader)
    consumer.take_floats(static_cast<std::size_t>(batch.data.size(0)),
                         batch.data.data_ptr<float>());
  consumer.report();
}
