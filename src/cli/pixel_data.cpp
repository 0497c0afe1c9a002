#include "cli/pixel_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/sanitize.hpp"
#include "weir/error.hpp"
#include "weir/pixel_files.hpp"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

constexpr struct {
  std::string_view prefix;
  Cifar kind;
} cifar_forms[] = {{"cifar10:", Cifar::ten},
                   {"cifar100:", Cifar::hundred_fine},
                   {"cifar100-coarse:", Cifar::hundred_coarse}};
constexpr std::string_view mnist_form = "mnist:";

[[noreturn]] void refuse_folder(const std::string& folder, std::string_view files) {
  throw Error(Errc::source_failed, Stage::read,
              fmt::format("{} has no {}; name a file, or their folder", sanitize(folder), files));
}

std::vector<std::string> cifar_files(const std::string& path, Cifar kind) {
  if (!fs::is_directory(path)) return {path};
  if (kind != Cifar::ten) return {path + "/train.bin"};
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with("data_batch_") && name.ends_with(".bin"))
      files.push_back(entry.path().string());
  }
  if (files.empty()) refuse_folder(path, "data_batch_1.bin");
  std::ranges::sort(files);
  return files;
}

/// The labels lie beside the images: t10k-labels-idx1-ubyte for t10k-images-idx3-ubyte.
std::string labels_of(const std::string& path) {
  auto name = fs::path(path).filename().string();
  const auto replace = [&](std::string_view from, std::string_view to) {
    const auto at = name.find(from);
    if (at == name.npos)
      throw Error(Errc::source_failed, Stage::read,
                  fmt::format("{}: the name of MNIST's images has '{}', as in "
                              "train-images-idx3-ubyte",
                              sanitize(path), from));
    name.replace(at, from.size(), to);
  };
  replace("images", "labels");
  replace("idx3", "idx1");
  return (fs::path(path).parent_path() / name).string();
}

AnySource open_mnist(std::string path) {
  if (fs::is_directory(path)) {
    const auto folder = path;
    path += "/train-images-idx3-ubyte";
    if (!fs::exists(path)) path = folder + "/train-images.idx3-ubyte";
    if (!fs::exists(path)) refuse_folder(folder, "train-images-idx3-ubyte");
  }
  return mnist_idx(path, labels_of(path));
}

}  // namespace

std::optional<AnySource> open_pixels(const std::string& data) {
  for (const auto& [prefix, kind] : cifar_forms)
    if (data.starts_with(prefix))
      return cifar_binary(cifar_files(data.substr(prefix.size()), kind), kind);
  if (data.starts_with(mnist_form)) return open_mnist(data.substr(mnist_form.size()));
  return std::nullopt;
}

}  // namespace weir::cli
