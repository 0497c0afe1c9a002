// Softmax regression in plain C++ on weir's batches.
//   softmax_cifar [TRAIN TEST] [--epochs N] [--at-least PERCENT]
// TRAIN and TEST are folders of class folders. Without them the images are synthetic.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weir/weir.hpp>

#include "softmax.hpp"

namespace {

constexpr weir::ImageSize shape{32, 32};
constexpr std::size_t features = weir::image_values(shape, weir::PixelFormat::rgb8);
constexpr std::uint32_t batch_size = 50;
constexpr weir::Normalize cifar{{0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}};

/// Floats of one batch: the only floats besides the model.
class Input {
 public:
  std::span<const float> of(const weir::Batch& batch) {
    const auto part = std::span(floats_).first(batch.size() * features);
    to_float_(batch.pixels(), part);
    return part;
  }

 private:
  weir::Converter<float> to_float_{cifar};
  std::vector<float> floats_ = std::vector<float>(batch_size * features);
};

weir::Loader make_loader(weir::AnySource source, bool shuffle) {
  return weir::Loader(std::move(source), {.shape = shape,
                                          .fit = weir::Fit::stretch,
                                          .order = weir::Order::shuffle(shuffle),
                                          .batch = batch_size,
                                          .seed = 1});
}

void train(Softmax& model, weir::Loader& loader, std::uint64_t epochs) {
  Input input;
  double loss = 0, batches = 0;
  std::uint64_t epoch = 0;
  const auto tell = [&] {
    std::printf("epoch %2llu  loss %.4f\n", static_cast<unsigned long long>(epoch), loss / batches);
  };
  for (weir::Batch& batch : loader.stream({.epochs = epochs})) {
    if (batch.epoch() != epoch) {
      tell();
      epoch = batch.epoch(), loss = 0, batches = 0;
    }
    const float rate = 0.002F * (1.0F - static_cast<float>(epoch) / static_cast<float>(epochs));
    loss += model.learn(input.of(batch), batch.labels(), rate);
    ++batches;
  }
  tell();
}

double accuracy(Softmax& model, weir::Loader& loader) {
  Input input;
  std::uint64_t right = 0;
  for (weir::Batch& batch : loader.stream())
    right += model.count_right(input.of(batch), batch.labels());
  return 100.0 * static_cast<double>(right) / static_cast<double>(loader.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> folders;
  std::uint64_t epochs = 15;
  double at_least = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    if (word == "--epochs" && i + 1 < argc) {
      epochs = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--at-least" && i + 1 < argc) {
      at_least = std::strtod(argv[++i], nullptr);
    } else {
      folders.emplace_back(word);
    }
  }
  if ((!folders.empty() && folders.size() != 2) || epochs == 0) {
    std::fprintf(stderr, "usage: %s [TRAIN TEST] [--epochs N] [--at-least PERCENT]\n", argv[0]);
    return 2;
  }
  const bool real = !folders.empty();
  auto training = make_loader(
      real ? weir::image_folder(folders[0]) : weir::synthetic(1'000, {36, 36}, 1), true);
  auto testing =
      make_loader(real ? weir::image_folder(folders[1]) : weir::synthetic(500, {36, 36}, 2), false);
  if (training.class_names() != testing.class_names() || training.class_names().empty()) {
    std::fprintf(stderr, "TRAIN and TEST must hold the same class folders\n");
    return 2;
  }

  Softmax model(features, training.class_names().size());
  train(model, training, epochs);
  const double reached = accuracy(model, testing);
  std::printf("test accuracy %.1f %% (chance: %.1f %%)\n", reached,
              100.0 / static_cast<double>(training.class_names().size()));
  return reached >= at_least ? 0 : 1;
}
