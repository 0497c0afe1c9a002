// docs/guide/choose-samples.md: lists, classes, parts, pairs and names.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

namespace {

/// The trainer's own list: a path and a class number for each image.
struct OwnList {
  std::vector<std::string> paths;
  std::vector<std::int64_t> labels;
};

weir::AnySource of_list(const OwnList& list) {
  return weir::image_files(list.paths, list.labels, {.classes = {"cat", "dog", "bird"}});
}

weir::AnySource of_folder(const std::string& folder) {
  return weir::image_folder(folder, {.classes = {"dog", "cat", "bird"}});
}

weir::AnySource of_bytes(std::vector<std::vector<std::byte>> files) {
  std::vector<weir::MemorySample> samples;
  for (auto& bytes : files)
    samples.push_back(
        {.name = std::to_string(samples.size()), .bytes = std::move(bytes), .label = 1});
  return weir::in_memory(std::move(samples), {"cat", "dog"});
}

std::vector<std::byte> ppm_of(const std::vector<std::uint8_t>& rgb, weir::ImageSize size) {
  const auto head =
      "P6 " + std::to_string(size.width) + " " + std::to_string(size.height) + " 255\n";
  std::vector<std::byte> file(head.size() + rgb.size());
  std::memcpy(file.data(), head.data(), head.size());
  std::memcpy(file.data() + head.size(), rgb.data(), rgb.size());
  return file;
}

weir::AnySource with_masks(const std::string& images, const std::string& masks) {
  return weir::with_plane(weir::image_folder(images), "mask", weir::image_folder(masks),
                          weir::MissingPlane::absent);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) std::printf("%s\n", of_folder(argv[1]).name(0).c_str());
  if (argc == 3) std::printf("%s\n", with_masks(argv[1], argv[2]).name(0).c_str());

  const auto images = weir::synthetic(200, {120, 160});
  const auto [training, hold_out] = weir::split(images, 8);
  const auto rings = weir::subset(
      images, [](const std::string& name) { return name.find("rings") != std::string::npos; });
  const auto two_classes = weir::relabelled(rings, {{4, 0}, {9, 1}}, {"green", "grey"});
  const auto both = weir::concatenated({training, rings});
  const auto merged = weir::concatenated({two_classes, weir::relabelled(rings, {{4, 2}, {9, 3}})});

  weir::Loader loader(hold_out, {.shape = {64, 64}, .batch = 8});
  std::uint64_t rows = 0;
  for (weir::Batch& batch : loader.stream()) {
    rows += batch.size();
    for (const auto index : batch.indices()) std::printf("%s\n", loader.name(index).c_str());
  }
  // Pixels in memory are delivered as they are.
  const std::vector<std::uint8_t> pixels{1, 2, 3, 4, 5, 6};
  weir::Loader small(of_bytes({ppm_of(pixels, {1, 2})}),
                     {.shape = {1, 2}, .fit = weir::Fit::stretch, .batch = 1});
  bool same = false;
  for (weir::Batch& batch : small.stream())
    same = std::ranges::equal(batch.pixel_bytes(), pixels) && batch.labels()[0] == 1;
  const bool parts = training.size() == 175 && hold_out.size() == 25 && rings.size() == 40 &&
                     two_classes.class_names().size() == 2 && both.size() == 215 &&
                     merged.class_names().size() == 4 && merged.class_names()[1] == "grey";
  // No file is read before it is drawn.
  const auto list = of_list({.paths = {"a.jpg", "b.jpg"}, .labels = {2, 0}});
  return parts && same && rows == 25 && list.class_names()[2] == "bird" ? 0 : 1;
}
