#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

#include "boxes.hpp"
#include "coco_file.hpp"

namespace detection {

/// Bounds of a COCO file, and what may be missing.
struct CocoOptions {
  std::uint64_t most_bytes = 4ull << 30;  ///< of the file
  std::size_t most_boxes = 10'000;        ///< of an image; a batch has room for the longest list
  /// Whether images that only the file or only the source has are left out. Otherwise they are errors.
  bool partial = false;
};

/// What with_boxes_from_coco() gives.
struct CocoSet {
  weir::AnySource images;                ///< with Boxes as annotations
  std::vector<std::int64_t> image_ids;   ///< COCO's, by index in `images`: for Detection
  std::vector<CocoCategory> categories;  ///< by class: in the order of their ids

  /// The class, 0 to n - 1, of a category of a Box. -1 if there is no such category.
  std::int32_t class_of(std::int32_t category) const {
    const auto at = std::ranges::lower_bound(categories, category, {}, &CocoCategory::id);
    if (at == categories.end() || at->id != category) return -1;
    return static_cast<std::int32_t>(at - categories.begin());
  }
};

/// The names without extension, and without the folders that all begin with.
inline std::vector<std::string> stems_of(std::vector<std::string> names) {
  const auto folders = [](std::string_view name) { return name.rfind('/') + 1; };
  std::size_t common = names.empty() ? 0 : folders(names[0]);
  for (const auto& name : names) {
    const auto part = std::string_view(names[0]).substr(0, common);
    const auto same = std::ranges::mismatch(part, name).in1 - part.begin();
    common = folders(part.substr(0, static_cast<std::size_t>(same)));
  }
  for (auto& name : names) {
    name.erase(0, common);
    if (const auto dot = name.rfind('.'); dot != name.npos && dot > folders(name)) name.resize(dot);
  }
  return names;
}

inline constexpr auto no_image = static_cast<std::size_t>(-1);

/// For each sample its position in the file's images, or no_image: by name, and the others by stem.
inline std::vector<std::size_t> images_of_samples(const CocoFile& file,
                                                  const std::vector<std::string>& names) {
  std::vector<std::string> listed;
  for (const auto& image : file.images) listed.push_back(image.file_name);
  std::vector<std::size_t> image_of(names.size(), no_image);
  std::vector<bool> used(listed.size());
  for (const bool by_stem : {false, true}) {
    const auto theirs = by_stem ? stems_of(listed) : listed;
    const auto ours = by_stem ? stems_of(names) : names;
    std::unordered_map<std::string_view, std::size_t> found;
    for (std::size_t k = 0; k < theirs.size(); ++k) {
      if (used[k]) continue;
      const auto [at, fresh] = found.emplace(theirs[k], k);
      if (!fresh && !by_stem)
        file.fail("images ", file.images[at->second].id, " and ", file.images[k].id,
                  " have one file_name, '", shown(theirs[k]), "'");
      if (!fresh) at->second = no_image;  // the stem of several images
    }
    for (std::size_t i = 0; i < ours.size(); ++i)
      if (const auto at = found.find(ours[i]); image_of[i] == no_image && at != found.end())
        image_of[i] = at->second;
    for (const auto k : image_of)
      if (k != no_image) used[k] = true;
  }
  return image_of;
}

/// The images of `images` with the boxes of a COCO file ("instances_….json"). An image of the file is
/// the sample with its name or else with its stem. Images without boxes have an empty annotation. Throws
/// weir::Error{source_failed} with the file, the image's id and what is wrong.
inline CocoSet with_boxes_from_coco(const std::string& path, const weir::AnySource& images,
                                    const CocoOptions& options = {}) {
  CocoFile file(path, options.most_bytes);
  std::unordered_map<std::int64_t, std::size_t> by_id;
  for (const auto& image : file.images)
    if (!by_id.emplace(image.id, by_id.size()).second)
      file.fail("image ", image.id, " comes twice");
  std::vector<std::vector<Box>> boxes(file.images.size());
  CocoSet set{images, {}, std::move(file.categories)};
  for (const auto& [image_id, box] : file.annotations) {
    const auto at = by_id.find(image_id);
    if (at == by_id.end())
      file.fail("annotation ", box.id, " is of image ", image_id, ", which is not in 'images'");
    if (set.class_of(box.category) < 0)
      file.fail("annotation ", box.id, " of image ", image_id, " has the category ", box.category,
                ", which is not in 'categories'");
    boxes[at->second].push_back(box);
    if (boxes[at->second].size() > options.most_boxes)
      file.fail("image ", image_id,
                " has more boxes than CocoOptions::most_boxes = ", options.most_boxes);
  }

  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < images.size(); ++i) names.push_back(images.name(i));
  const auto image_of = images_of_samples(file, names);
  std::vector<bool> used(boxes.size());
  std::vector<std::uint64_t> kept;
  std::vector<std::vector<Box>> kept_boxes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (image_of[i] == no_image) continue;
    used[image_of[i]] = true;
    kept.push_back(i);
    kept_boxes.push_back(boxes[image_of[i]]);
    set.image_ids.push_back(file.images[image_of[i]].id);
  }
  const auto unknown = std::ranges::find(used, false);
  if (unknown != used.end() && !options.partial) {
    const auto& [id, name] = file.images[static_cast<std::size_t>(unknown - used.begin())];
    file.fail("image ", id, ", '", shown(name), "', is not in the source, nor are ",
              std::ranges::count(used, false) - 1, " others of ", used.size(),
              "; CocoOptions::partial leaves them out");
  }
  if (kept.size() < names.size() && (!options.partial || kept.empty())) {
    const auto first = std::ranges::find(image_of, no_image) - image_of.begin();
    file.fail("it has no image with the name or stem of '",
              shown(names[static_cast<std::size_t>(first)]), "', nor of ",
              names.size() - kept.size() - 1, " others of ", names.size(), " in the source",
              kept.empty() ? "" : "; CocoOptions::partial leaves them out");
  }
  if (kept.size() < names.size()) set.images = weir::subset(images, std::move(kept));
  set.images = weir::with_annotations(std::move(set.images), kept_boxes);
  return set;
}

/// A result of a detector.
struct Detection {
  std::int64_t image_id;  ///< CocoSet::image_ids of the row's index
  std::int32_t category;  ///< CocoCategory::id
  weir::Rect box;         ///< in the image: Window::to_image() of the row's
  double score;
};

/// Writes results as COCO's evaluation reads them. Throws weir::Error{source_failed} if a number is not
/// finite, and if the file cannot be written.
inline void write_coco_results(const std::string& path, std::span<const Detection> found) {
  std::ofstream out(path, std::ios::binary);
  out << '[';
  const char* separator = "\n";
  for (const auto& [image_id, category, box, score] : found) {
    if (!std::isfinite(box.x + box.y + box.width + box.height + score))
      throw weir::Error(weir::Errc::source_failed, weir::Stage::read,
                        shown(path) + ": a result of image " + std::to_string(image_id) +
                            " has a number that is not finite");
    out << separator
        << nlohmann::json{{"image_id", image_id},
                          {"category_id", category},
                          {"bbox", {box.x, box.y, box.width, box.height}},
                          {"score", score}};
    separator = ",\n";
  }
  out << "\n]\n";
  if (!out.flush())
    throw weir::Error(weir::Errc::source_failed, weir::Stage::read,
                      shown(path) + ": cannot be written");
}

}  // namespace detection
