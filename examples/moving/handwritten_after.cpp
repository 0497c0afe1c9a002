// The same work as handwritten_before.cpp, with weir.
#include <span>
#include <vector>
#include <weir/weir.hpp>

#include "trainer.hpp"

constexpr std::uint32_t side = 64, batch_size = 16;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Trainer trainer;
  const weir::Options options{.shape = {side, side},
                              .fit = weir::Fit::stretch,
                              .order = weir::Order::shuffle(),
                              .batch = batch_size,
                              .workers = 2,
                              .queue = {.max_queue_size = 4},
                              .seed = 7};
  weir::Loader loader(weir::image_folder(argv[1]), options);
  const weir::Converter<float> to_float(weir::imagenet);
  std::vector<float> images(batch_size * loader.plan().row_values());
  for (weir::Batch& batch : loader.stream()) {
    to_float(batch, images);
    trainer.learn(images.data(), batch.labels().data(), batch.size(), side);
  }
  trainer.print();
}
