#include "options/data_text.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "options/option_row.hpp"
#include "options/values.hpp"
#include "source/extension.hpp"
#include "source/synthetic.hpp"
#include "weir/error.hpp"
#include "weir/options.hpp"
#include "weir/pixel_files.hpp"

namespace weir::options {
namespace {

namespace fs = std::filesystem;

constexpr struct {
  std::string_view prefix;
  Cifar kind;
} cifar_forms[] = {{"cifar10:", Cifar::ten},
                   {"cifar100:", Cifar::hundred_fine},
                   {"cifar100-coarse:", Cifar::hundred_coarse}};
constexpr std::string_view mnist_form = "mnist:", synthetic_form = "synthetic:";

[[noreturn]] void refuse_folder(const std::string& folder, std::string_view files) {
  throw_error(Errc::source_failed, Stage::read, sanitize(folder), " has no ", files,
              "; name a file, or their folder");
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
      throw_error(Errc::source_failed, Stage::read, sanitize(path),
                  ": the name of MNIST's images has '", from, "', as in train-images-idx3-ubyte");
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

AnySource open_synthetic(const std::string& data, const std::stop_token& stop) {
  const auto text = std::string_view(data).substr(synthetic_form.size());
  const auto comma = std::min(text.find(','), text.size());
  const auto part = [&](const char* name, std::string_view value, const auto& read) {
    try {
      return read(value);
    } catch (const std::invalid_argument& e) {
      refuse_text(concat(sanitize(data), ": ", name, "'", sanitize(value), "' ", e.what(),
                         "; write synthetic:COUNT,HxW, as in synthetic:100,375x500"));
    }
  };
  const auto count = part("COUNT ", text.substr(0, comma),
                          [](std::string_view value) { return read_whole(value, 1, UINT64_MAX); });
  const auto shape = part("", text.substr(std::min(comma + 1, text.size())), read_size);
  return source::synthetic(count, shape, 0, stop);
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         std::ranges::equal(text.substr(text.size() - end.size()), end, {}, source::lower);
}

bool names_tar(const std::string& path) {
  constexpr std::string_view ends[] = {".tar",     ".tar.gz", ".tgz",
                                       ".tar.bz2", ".tar.xz", ".tar.zst"};
  return std::ranges::any_of(ends, [&](auto end) { return ends_with(path, end); });
}

}  // namespace

ImageSize read_size(std::string_view text) {
  Options read;
  const auto& row = *find("shape");
  row.read(row, text, read);
  return read.shape;
}

std::optional<AnySource> open_named(const std::string& data, const std::stop_token& stop) {
  for (const auto& [prefix, kind] : cifar_forms)
    if (data.starts_with(prefix))
      return cifar_binary(cifar_files(data.substr(prefix.size()), kind), kind);
  if (data.starts_with(mnist_form)) return open_mnist(data.substr(mnist_form.size()));
  if (data.starts_with(synthetic_form)) return open_synthetic(data, stop);
  return std::nullopt;
}

bool names_shards(const std::string& data) {
  std::error_code failed;
  const fs::path path(data);
  return names_tar(data) || path.filename() == shards_index ||
         fs::exists(path / shards_index, failed);
}

}  // namespace weir::options
