// A small U-Net that learns the classes of pixels. See docs/guide/segmentation.md.
//   unet [--images FOLDER --masks FOLDER --classes N] [--picture FILE.png]
// The masks are palette or grey PNGs with the stem of their image. Every fifth image is held out.
#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>
#include <weir/interop/torch.hpp>
#include <weir/weir.hpp>

#include "network.hpp"
#include "options.hpp"
#include "shapes.hpp"
#include "sheet.hpp"

namespace {

using unet::Options;

/// Two folders of made images and masks, which the destructor removes.
class MadeFolders {
 public:
  explicit MadeFolders(Options& options)
      : root_(std::filesystem::temp_directory_path() /
              ("weir-unet-" + std::to_string(::getpid()))) {
    options.images = root_ / "images";
    options.masks = root_ / "masks";
    for (const auto& folder : {options.images, options.masks})
      std::filesystem::create_directories(folder);
    for (std::uint64_t i = 0; i < 300; ++i) {
      const auto name = "/" + std::to_string(i) + ".png";
      Shapes shapes(i, ShapeColours::varied);
      write(options.images + name, shapes.image());
      write(options.masks + name, shapes.mask());
    }
  }
  ~MadeFolders() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  MadeFolders(const MadeFolders&) = delete;
  MadeFolders& operator=(const MadeFolders&) = delete;

 private:
  static void write(const std::string& path, const std::vector<std::byte>& bytes) {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) throw std::runtime_error("cannot write " + path);
  }
  std::filesystem::path root_;
};

weir::Loader training_loader(const weir::AnySource& data, const Options& options) {
  return weir::Loader(data, {.shape = {options.side, options.side},
                             .fit = weir::Fit::random,
                             .flip = {.horizontal = 0.5, .vertical = 0.5},
                             .random = {.area = {0.4, 1}},
                             .planes = {{.name = "mask", .fill = {ignore}}},
                             .order = weir::Order::shuffle(),
                             .batch = options.batch,
                             .seed = options.seed});
}

weir::Loader evaluation_loader(const weir::AnySource& data, const Options& options) {
  return weir::Loader(data, {.shape = {options.side, options.side},
                             .short_side = options.side,
                             .planes = {{.name = "mask", .fill = {ignore}}},
                             .batch = options.batch});
}

/// Values of a mask that are not classes become `ignore`.
std::vector<std::int64_t> table_of(std::int64_t classes) {
  std::vector<std::int64_t> table(256, ignore);
  for (std::int64_t i = 0; i < classes; ++i) table[static_cast<std::size_t>(i)] = i;
  return table;
}

/// Columns of image, mask and prediction.
void paint(Sheet& sheet, const weir::Batch& batch, const torch::Tensor& wanted,
           const torch::Tensor& found) {
  for (std::uint32_t row = 0; row < batch.size(); ++row) {
    const auto column = batch.indices()[row];
    if (column >= sheet.columns()) return;
    const auto image = batch.image(row);
    sheet.paint(0, column, [&](auto y, auto x) { return colour_of(image, y, x); });
    for (std::uint32_t line = 1; line < 3; ++line) {
      const auto& classes = line == 1 ? wanted : found;
      const auto values = classes.accessor<std::int64_t, 3>()[row];
      sheet.paint(line, column, [&](auto y, auto x) {
        return class_colour(static_cast<std::size_t>(values[y][x]));
      });
    }
  }
}

class Segmentation {
 public:
  explicit Segmentation(const Options& options)
      : classes_(options.classes),
        table_(table_of(options.classes)),
        network_(unet::network(options.classes, 8)),
        optimizer_(network_->parameters()) {}

  /// Returns the mean loss of the batch.
  double step(const weir::Batch& batch, double learning_rate) {
    const auto images = weir::to_tensor(batch.pixels(), to_float_);
    const auto wanted = weir::to_targets(batch.plane("mask").pixels(), table_);
    const auto sum =
        torch::nn::CrossEntropyLossOptions().ignore_index(ignore).reduction(torch::kSum);
    const auto loss = torch::nn::functional::cross_entropy(network_->forward(images), wanted, sum) /
                      (wanted != ignore).sum().clamp_min(1);
    optimizer_.zero_grad();
    loss.backward();
    optimizer_.param_groups()[0].options().set_lr(learning_rate);
    optimizer_.step();
    return loss.item<double>();
  }

  /// The mean, over the classes, of intersection over union, in percent.
  double mean_iou(weir::Loader& loader, Sheet& sheet) {
    const torch::NoGradGuard no_gradients;
    auto counts = torch::zeros({classes_, classes_}, torch::kInt64);
    for (weir::Batch& batch : loader.stream()) {
      const auto wanted = weir::to_targets(batch.plane("mask").pixels(), table_);
      const auto found = network_->forward(weir::to_tensor(batch.pixels(), to_float_)).argmax(1);
      const auto pairs = (wanted * classes_ + found).masked_select(wanted != ignore);
      counts += torch::bincount(pairs, {}, classes_ * classes_).view_as(counts);
      paint(sheet, batch, wanted, found);
    }
    const auto both = counts.diagonal(), either = counts.sum(0) + counts.sum(1) - both;
    return 100 * (both / either).masked_select(either > 0).mean().item<double>();
  }

 private:
  std::int64_t classes_;
  std::vector<std::int64_t> table_;
  torch::nn::Sequential network_;
  torch::optim::Adam optimizer_;
  weir::Converter<float> to_float_{weir::imagenet};
};

}  // namespace

int main(int argc, char** argv) try {
  auto options = unet::parse(argc, argv);
  std::optional<MadeFolders> made;
  if (options.images.empty()) made.emplace(options);
  const auto data = weir::with_plane(weir::image_folder(options.images), "mask",
                                     weir::image_folder(options.masks), weir::MissingPlane::skip);
  const auto [others, held_out] = weir::split(data, 5);
  auto training = training_loader(others, options);
  auto evaluation = evaluation_loader(held_out, options);

  torch::manual_seed(options.seed);
  Segmentation segmentation(options);
  Sheet sheet(3, 6, options.side);
  const auto before = segmentation.mean_iou(evaluation, sheet);
  const auto steps = static_cast<double>(options.epochs * training.batches_per_epoch());
  double done = 0, loss = 0;
  for (weir::Batch& batch : training.stream({.epochs = options.epochs})) {
    loss += segmentation.step(batch, 3e-3 * (1 - done++ / steps)) * batch.size();
    if (!batch.last_of_epoch()) continue;
    std::printf("epoch %2llu  loss %.4f\n", static_cast<unsigned long long>(batch.epoch() + 1),
                loss / static_cast<double>(others.size()));
    loss = 0;
  }
  const auto after = segmentation.mean_iou(evaluation, sheet);
  std::printf("mean IoU of %llu other images: %.1f %%, before training %.1f %%\n",
              static_cast<unsigned long long>(held_out.size()), after, before);
  for (const auto& plane : training.report().planes)
    std::printf("plane %s: %llu ok, %llu absent, %llu broken, decoded in %.2f s\n",
                plane.name.c_str(), static_cast<unsigned long long>(plane.ok),
                static_cast<unsigned long long>(plane.absent),
                static_cast<unsigned long long>(plane.broken), plane.decode_s);
  if (!options.picture.empty()) sheet.write(options.picture);
  return after - before >= options.rise ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
