// Bare loops as the machine's limit, and weir, in turns: see README.md.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bare_decoder.hpp"
#include "bare_jpeg.hpp"
#include "engine/thread_stats.hpp"
#include "images.hpp"
#include "loops.hpp"
#include "measuring.hpp"
#include "weir/weir.hpp"

namespace {

using namespace weir;
using namespace weir::bench;

constexpr ImageSize shape{224, 224};
constexpr std::uint64_t most_images = 1000;
const codec::FitSpec specs[] = {
    {.out = shape, .fit = Fit::center},
    {.out = shape, .fit = Fit::random},
    {.out = shape, .fit = Fit::random, .random = {.area = {0.22, 0.77}}}};
constexpr const char* names[] = {"center", "random", "random 0.22-0.77"};
constexpr std::size_t fits = std::size(specs);

struct Wish {
  int rounds = 5;
  double seconds = 1.5;
  bool only_small = false;  ///< only the case "small"
};

/// Samples a second by line and fit, one for each round.
using Rates = std::map<std::string, std::vector<double>[fits]>;

/// One thread, encoded bytes in memory.
void in_memory_round(const std::vector<MemorySample>& samples, Rates& rates) {
  std::vector<std::uint8_t> rows(batch * image_bytes(shape, PixelFormat::rgb8));
  const auto row = [&](std::uint64_t i) {
    return std::span(rows).subspan(i % batch * image_bytes(shape, PixelFormat::rgb8),
                                   image_bytes(shape, PixelFormat::rgb8));
  };
  const auto bytes = [&](std::uint64_t i) -> const std::vector<std::byte>& {
    return samples[i].bytes;
  };
  for (std::size_t fit = 0; fit < fits; ++fit) {
    BareJpeg bare(specs[fit]);
    BareDecoder weir({.fit = specs[fit]});
    const std::pair<const char*, std::function<void(std::uint64_t)>> lines[] = {
        {"huffman", [&](auto i) { bare.huffman(bytes(i)); }},
        {"full", [&](auto i) { bare.full(bytes(i), i, row(i).data()); }},
        {"roi", [&](auto i) { bare.roi(bytes(i), i, row(i).data()); }},
        {"roi, not resized", [&](auto i) { bare.roi_pixels(bytes(i), i); }},
        {"weir's decoder", [&](auto i) { weir(bytes(i), weir.plan(bytes(i), i), row(i)); }}};
    for (const auto& [name, work] : lines)
      rates[name][fit].push_back(cpu_rate(samples.size(), work));
  }
}

void file_round(const std::string& folder, const std::vector<std::string>& files, double seconds,
                Rates& rates, Noted& noted) {
  for (std::size_t fit = 0; fit < fits; ++fit) {
    rates["roofline"][fit].push_back(bare_files(files, specs[fit], seconds));
    rates["uint8"][fit].push_back(weir_files(folder, specs[fit], seconds, false, &noted));
    rates["float32"][fit].push_back(weir_files(folder, specs[fit], seconds, true));
  }
}

/// Images that already have the output size: the overhead beside decoding is largest there.
void small_round(const std::string& folder, const std::vector<std::string>& files, double seconds,
                 Rates& rates) {
  const codec::FitSpec spec{{32, 32}, Fit::stretch, 0};
  Noted bare, weir;
  rates["small roofline"][0].push_back(bare_files(files, spec, seconds, &bare));
  rates["small uint8"][0].push_back(weir_files(folder, spec, seconds, false, &weir));
  rates["bare, a CPU second"][0].push_back(1e6 / bare.cpu_us());
  rates["weir, a CPU second"][0].push_back(1e6 / weir.cpu_us());
}

/// The cost of the clocks for each sample, compared with the total cost of a sample.
void print_clocks(const Noted& noted) {
  const double ns = engine::measure_reading_ns();
  const double each = static_cast<double>(noted.readings) / static_cast<double>(noted.samples);
  const double cpu_ns = noted.cpu_s * 1e9 / static_cast<double>(noted.samples);
  std::printf(
      "  clocks: %.2f readings a sample x %.0f ns = %.2f us, %.3f %% of its %.0f us of CPU time\n",
      each, ns, each * ns * 1e-3, 100 * each * ns / cpu_ns, cpu_ns * 1e-3);
}

void print_line(Rates& rates, const char* name, const char* against) {
  std::printf("  %-18s", name);
  for (auto& of_fit : rates[name]) {
    if (of_fit.empty()) continue;
    const auto [least, most] = std::ranges::minmax(of_fit);
    std::printf("  %7.0f (%5.0f-%5.0f)", median(of_fit), least, most);
  }
  // The ratio within each round, whose lines ran next to each other; then the median of these.
  if (against != nullptr) {
    std::printf("   of %s:", against);
    for (std::size_t fit = 0; fit < fits; ++fit) {
      std::vector<double> ratios = rates[name][fit];
      if (ratios.empty()) continue;
      for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] /= rates[against][fit][i];
      std::printf(" %.3f", median(ratios));
    }
  }
  std::printf("\n");
}

void print_small(Rates& rates, const Files& small) {
  std::printf("%u threads, %zu files of %s\n", threads, small.files().size(),
              small.made() ? "about 32x32, resized to it" : "32x32, as they are");
  print_line(rates, "small roofline", nullptr);
  print_line(rates, "small uint8", "small roofline");
  print_line(rates, "bare, a CPU second", nullptr);
  print_line(rates, "weir, a CPU second", "bare, a CPU second");
}

}  // namespace

int main(int argc, char** argv) {
  Wish wish;
  if (argc > 1) wish.rounds = std::max(1, std::atoi(argv[1]));
  if (argc > 2) wish.seconds = std::atof(argv[2]);
  wish.only_small = argc > 3 && argv[3] == std::string_view("small");
  if (argc > 4) threads = static_cast<std::uint32_t>(std::max(1, std::atoi(argv[4])));
  const Files small("cifar10", {32, 32});
  Rates rates;
  if (wish.only_small) {
    for (int round = 0; round < wish.rounds; ++round)
      small_round(small.folder(), small.files(), wish.seconds, rates);
    print_small(rates, small);
    return 0;
  }

  const Files photographs("photos", {375, 500});
  const auto samples = images(most_images);
  Noted noted;
  for (int round = 0; round < wish.rounds; ++round) {
    in_memory_round(samples, rates);
    file_round(photographs.folder(), photographs.files(), wish.seconds, rates, noted);
    small_round(small.folder(), small.files(), wish.seconds, rates);
  }
  std::printf(
      "%zu images, %d rounds of %.1f s in turns; samples/s, medians (least-most): center, random, "
      "random of 0.22 to 0.77 of the area\n",
      photographs.files().size(), wish.rounds, wish.seconds);
  std::printf("one thread, bytes in memory, per second of its CPU time\n");
  print_line(rates, "huffman", nullptr);
  print_line(rates, "full", nullptr);
  print_line(rates, "roi, not resized", nullptr);
  print_line(rates, "roi", "full");
  print_line(rates, "roi", "huffman");
  print_line(rates, "weir's decoder", "roi");
  std::printf("%u threads, files\n", threads);
  print_line(rates, "roofline", nullptr);
  print_line(rates, "uint8", "roofline");
  print_line(rates, "float32", "roofline");
  print_clocks(noted);
  print_small(rates, small);
  const char* separator = "{";
  for (const char* name : {"roofline", "uint8", "float32"}) {
    std::printf("%s\"%s\": ", separator, name);
    for (std::size_t fit = 0; fit < fits; ++fit)
      std::printf("%s\"%s\": %.0f", fit == 0 ? "{" : ", ", names[fit], median(rates[name][fit]));
    std::printf("}");
    separator = ", ";
  }
  std::printf("}\n");
}
