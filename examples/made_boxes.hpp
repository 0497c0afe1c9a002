#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>
#include <weir/weir.hpp>

#include "boxes.hpp"
#include "png.hpp"

namespace detection {

/// A data set of shapes on noise, with its COCO file, in a folder that the destructor removes.
class MadeBoxes {
 public:
  static constexpr std::uint32_t width = 200, height = 150;
  static constexpr std::array<std::int32_t, 3> categories{3, 18, 44};

  explicit MadeBoxes(int count) {
    std::filesystem::create_directories(images());
    nlohmann::json coco;
    for (int i = 0; i < count; ++i) {
      const auto name = "shapes " + std::to_string(i) + ".png";
      coco["images"].push_back({{"id", 1000 + 7 * i}, {"file_name", name}});
      make_shapes(i);
      for (const auto& box : shapes_)
        coco["annotations"].push_back({{"id", box.id},
                                       {"image_id", 1000 + 7 * i},
                                       {"category_id", box.category},
                                       {"bbox", {box.x, box.y, box.width, box.height}},
                                       {"iscrowd", box.crowd}});
      const auto png = draw(i);
      std::ofstream(images() / name, std::ios::binary)
          .write(reinterpret_cast<const char*>(png.data()), std::ssize(png));
    }
    for (const auto category : categories)
      coco["categories"].push_back({{"id", category}, {"name", std::to_string(category)}});
    if (!(std::ofstream(file()) << coco))
      throw std::runtime_error("cannot write " + file().string());
  }
  ~MadeBoxes() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  MadeBoxes(const MadeBoxes&) = delete;
  MadeBoxes& operator=(const MadeBoxes&) = delete;

  std::filesystem::path images() const { return folder_ / "images"; }
  std::filesystem::path file() const { return folder_ / "instances.json"; }
  std::filesystem::path results() const { return folder_ / "results.json"; }

 private:
  /// Up to five shapes with space between them; every fourth image has none.
  void make_shapes(int image) {
    weir::Random random(5, 0, static_cast<std::uint64_t>(image));
    shapes_.clear();
    for (int attempt = 0; attempt < 60 && image % 4 != 3 && shapes_.size() < 5; ++attempt) {
      const auto value = [&](double low, double high) {
        return static_cast<float>(random.uniform(low, high));
      };
      Box box{.width = value(36, 60), .height = value(36, 60), .id = next_id_};
      box.x = value(2, width - 2 - box.width);
      box.y = value(2, height - 2 - box.height);
      box.category = categories[random.below(3)];
      box.crowd = shapes_.size() == 2 ? 1 : 0;
      const auto apart = [&](const Box& other) {
        constexpr float space = 14;
        return box.x > other.x + other.width + space || other.x > box.x + box.width + space ||
               box.y > other.y + other.height + space || other.y > box.y + box.height + space;
      };
      if (!std::ranges::all_of(shapes_, apart)) continue;
      shapes_.push_back(box);
      ++next_id_;
    }
  }
  /// Whether the shape covers a point, in shares of its box from -1 to 1.
  static bool covers(const Box& box, double x, double y) {
    const double across = std::abs(x), down = std::abs(y);
    if (std::max(across, down) > 1) return false;
    if (box.crowd == 1) return std::fmod(across * 3, 1) > 0.4 && std::fmod(down * 3, 1) > 0.4;
    if (box.category == categories[0]) return true;  // a rectangle
    if (box.category == categories[1]) return x * x + y * y < 1;
    return std::min(across, down) < 1.0 / 3;  // a cross
  }
  std::vector<std::byte> draw(int image) const {
    weir::Random random(6, 0, static_cast<std::uint64_t>(image));
    constexpr int parts = 4;  // of a pixel, on each side
    std::vector<std::uint8_t> values;
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x) {
        const auto noise = static_cast<int>(random.below(17)) - 8;
        std::array<int, 4> covered{};  // of each class; 0: the rest
        for (int part = 0; part < parts * parts; ++part) {
          const int across = part % parts, down = part / parts;
          const double u = x + (across + 0.5) / parts, v = y + (down + 0.5) / parts;
          const auto found = std::ranges::find_if(shapes_, [&](const Box& box) {
            return covers(box, (u - box.x) / box.width * 2 - 1, (v - box.y) / box.height * 2 - 1);
          });
          ++covered[found == shapes_.end() ? 0 : class_of(found->category)];
        }
        for (std::size_t channel = 0; channel < 3; ++channel) {
          int sum = 0;
          for (std::size_t k = 0; k < covered.size(); ++k)
            sum += covered[k] * class_colour(k)[channel];
          values.push_back(static_cast<std::uint8_t>(sum / (parts * parts) + noise));
        }
      }
    return write_png(PngKind::rgb, width, height, values);
  }
  static std::size_t class_of(std::int32_t category) {
    return static_cast<std::size_t>(std::ranges::find(categories, category) - categories.begin()) +
           1;
  }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("weir_detection_" + std::to_string(std::random_device{}()));
  std::vector<Box> shapes_;
  std::int64_t next_id_ = 1;
};

}  // namespace detection
