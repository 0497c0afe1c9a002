// weir by its public API. A last argument selects the consumer's input: uint8 (default) or float32.
#include <weir/weir.hpp>

#include <string_view>
#include <vector>

#include "task.hpp"

using namespace peers;

int main(int argc, char** argv) {
  const Task task = Task::parse(argc, argv);
  const bool floats = argc > 9 && argv[9] == std::string_view("float32");
  const auto side = static_cast<std::uint32_t>(task.size);
  weir::Options options{.shape = {side, side},
                        .fit = task.random ? weir::Fit::random : weir::Fit::center,
                        .order = weir::Order::shuffle(),
                        .batch = static_cast<std::uint32_t>(task.batch),
                        .workers = static_cast<std::uint32_t>(task.workers)};
  options.queue.max_queue_size = static_cast<std::uint32_t>(task.queue);
  const auto source = weir::image_folder(task.folder);
  // Whole batches, as in the peers' one long pass.
  options.drop_last = source.size() >= task.batch;
  weir::Loader loader(source, options);
  const weir::Converter<float> to_float(weir::imagenet);
  std::vector<float> values(floats ? task.batch * task.values() : 0);
  Consumer consumer(task);
  for (weir::Batch& batch : loader.stream({.epochs = task.epochs})) {
    const auto pixels = batch.pixels();
    if (floats) {
      to_float(pixels, std::span(values).first(pixels.pixels.size()));
      consumer.take_floats(batch.size(), values.data());
    } else {
      consumer.take(batch.size(), [&](std::size_t i) {
        return (pixels.pixels[i] / 255. - mean[i % 3]) / stddev[i % 3];
      });
    }
  }
  consumer.report();
}
