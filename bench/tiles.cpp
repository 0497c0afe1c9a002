// Files with tiles through weir, and bare region loops of libjpeg-turbo on the same files without, in
// turns: see README.md.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bare_decoder.hpp"
#include "bare_jpeg.hpp"
#include "images.hpp"
#include "loops.hpp"
#include "measuring.hpp"
#include "tiled_images.hpp"

namespace {

using namespace weir;
using namespace weir::bench;

constexpr std::uint32_t tiles[] = {8, 16};

/// One kind of windows of the same images, without and with tiles.
class Case {
 public:
  Case(const char* name, double goal, codec::FitSpec spec, std::vector<MemorySample> images,
       std::uint64_t draws)
      : name_(name),
        goal_(goal),
        spec_(spec),
        draws_(draws),
        before_(std::move(images)),
        after_{with_tiles(before_, tiles[0]), with_tiles(before_, tiles[1])},
        bare_(std::string("bare-") + std::to_string(spec.out.width), before_),
        tiled_(std::string("tiled-") + std::to_string(spec.out.width), after_[1]) {}

  void round(double seconds) {
    std::vector<std::uint8_t> row(image_bytes(spec_.out, PixelFormat::rgb8));
    const auto count = before_.size();
    BareJpeg bare(spec_);
    BareDecoder weir({.fit = spec_});
    // In short turns, because other work on the machine comes and goes.
    constexpr std::uint64_t turn = 8;
    double without = 0, with[std::size(tiles)] = {};
    for (std::uint64_t done = 0; done < count * draws_; done += turn) {
      without += turn / cpu_rate(turn, [&](auto i) {
                   bare.roi(before_[(done + i) % count].bytes, done + i, row.data());
                 });
      for (std::size_t t = 0; t < std::size(tiles); ++t)
        with[t] += turn / cpu_rate(turn, [&](auto i) {
                     const auto& bytes = after_[t][(done + i) % count].bytes;
                     weir(bytes, weir.plan(bytes, done + i), row);
                   });
    }
    bare_ms_.push_back(1e3 * without / static_cast<double>(count * draws_));
    for (std::size_t t = 0; t < std::size(tiles); ++t) ratios_[t].push_back(without / with[t]);
    const double files = bare_files(bare_.files(), spec_, seconds);
    of_files_.push_back(weir_files(tiled_.folder(), spec_, seconds) / files);
  }

  /// Whether the goal is reached.
  bool print() const {
    std::printf("%-28s %8.3f ms", name_, median(bare_ms_));
    for (std::size_t t = 0; t < std::size(tiles); ++t) {
      print_ratio(ratios_[t]);
      std::printf(" (%+.1f %%)", 100 * (static_cast<double>(encoded_bytes(after_[t])) /
                                            static_cast<double>(encoded_bytes(before_)) -
                                        1));
    }
    print_ratio(of_files_);
    const bool reached = median(ratios_[1]) >= goal_;
    std::printf("   goal %.2f: %s\n", goal_, reached ? "reached" : "missed");
    return reached;
  }

 private:
  static void print_ratio(const std::vector<double>& ratios) {
    const auto [least, most] = std::ranges::minmax(ratios);
    std::printf("  %6.2f (%.2f-%.2f)", median(ratios), least, most);
  }

  const char* name_;
  double goal_;
  codec::FitSpec spec_;
  std::uint64_t draws_;
  std::vector<MemorySample> before_, after_[std::size(tiles)];
  Files bare_, tiled_;
  std::vector<double> bare_ms_, ratios_[std::size(tiles)], of_files_;
};

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 1.5;
  const std::string only = argc > 3 ? argv[3] : "";
  constexpr ImageSize crop{224, 224};
  std::deque<Case> cases;
  const auto add = [&](const char* name, double goal, const codec::FitSpec& spec,
                       const std::function<std::vector<MemorySample>()>& make,
                       std::uint64_t draws) {
    if (std::string_view(name).find(only) != std::string_view::npos)
      cases.emplace_back(name, goal, spec, make(), draws);
  };
  const auto photographs = [] { return images(1000); };
  add("random", 1.2, {crop, Fit::random, 256}, photographs, 1);
  add("center", 1.08, {crop, Fit::center, 256}, photographs, 1);
  add(
      "patch 192, 2 megapixels", 8, {{192, 192}, Fit::patch, 0},
      [] { return mosaics(8, two_megapixels); }, 8);
  add(
      "patch 512, 12 megapixels", 8, {{512, 512}, Fit::patch, 0},
      [] { return mosaics(3, twelve_megapixels); }, 12);
  for (int round = 0; round < rounds; ++round)
    for (auto& each : cases) each.round(seconds);
  std::printf(
      "%d rounds in turns; medians (least-most). Bare loop without tiles: CPU time. Then how many "
      "times as fast weir is with tiles\n%-28s %11s  %20s %25s %22s\n",
      rounds, "", "bare loop", "8 tiles (bytes)", "16 tiles (bytes)", "16, files, 2 threads");
  bool reached = true;
  for (const auto& each : cases) reached = each.print() && reached;
  return reached ? 0 : 1;
}
