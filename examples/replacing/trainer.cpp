// A small trainer that runs with either loader and prints the time of each.
//   replacing [FOLDER] [--epochs N] [--loader hand|weir]
// FOLDER has one folder for each class. Without it, images are made.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hand_written.hpp"
#include "images.hpp"
#include "softmax.hpp"
#include "with_weir.hpp"

namespace {

using namespace replacing;

template <class Loader>
void train(const char* name, const Settings& settings, int epochs) {
  Loader loader(settings);
  Softmax model(std::size_t{3} * settings.side * settings.side, loader.class_names().size());
  const auto start = std::chrono::steady_clock::now();
  FloatBatch batch;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    double loss = 0, batches = 0;
    std::size_t images = 0;
    while (loader.next(batch)) {
      loss += model.learn(batch.images, batch.labels, 0.0005F);
      ++batches;
      images += batch.size();
    }
    std::printf("%-12s epoch %d: %zu images, loss %.4f\n", name, epoch, images, loss / batches);
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  std::printf("%-12s %.2f s\n", name, spent.count());
}

/// A temporary folder of synthetic images.
struct MadeFolder {
  MadeFolder() {
    auto name = (std::filesystem::temp_directory_path() / "weir-replacing-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path = name;
    weir::bench::write_images(weir::synthetic(500, {40, 48}, 1), path);
  }
  ~MadeFolder() { std::filesystem::remove_all(path); }
  MadeFolder(const MadeFolder&) = delete;
  MadeFolder& operator=(const MadeFolder&) = delete;
  std::filesystem::path path;
};

}  // namespace

int main(int argc, char** argv) try {
  Settings settings;
  int epochs = 3;
  std::string_view only;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    if (word == "--epochs" && i + 1 < argc) {
      epochs = std::atoi(argv[++i]);
    } else if (word == "--loader" && i + 1 < argc) {
      only = argv[++i];
    } else {
      settings.root = word;
    }
  }
  std::unique_ptr<MadeFolder> made;
  if (settings.root.empty()) {
    made = std::make_unique<MadeFolder>();
    settings.root = made->path;
  }
  if (only != "weir") train<HandWrittenLoader>("by hand", settings, epochs);
  if (only != "hand") train<WeirLoader>("weir", settings, epochs);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
