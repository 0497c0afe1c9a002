// What `weir pack --short-side` costs and brings: see README.md.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "bare_decoder.hpp"
#include "base/clock.hpp"
#include "measuring.hpp"
#include "pack/pack.hpp"
#include "shards/index.hpp"
#include "weir/source.hpp"

namespace {

using namespace weir;
using bench::BareDecoder;
using bench::median;
using Bytes = std::vector<std::byte>;

constexpr ImageSize out_size{224, 224};

/// CPU seconds that all images take.
double decode_all(const std::vector<Bytes>& images, BareDecoder& decode, int round) {
  std::vector<std::uint8_t> row(image_bytes(out_size, PixelFormat::rgb8));
  const auto begun = thread_cpu_time();
  for (std::size_t i = 0; i < images.size(); ++i)
    decode(images[i], decode.plan(images[i], i * 977 + static_cast<unsigned>(round) * 7919), row);
  return seconds(thread_cpu_time() - begun);
}

std::vector<std::uint8_t> row_of(BareDecoder& decode, const Bytes& image) {
  return decode(image, decode.plan(image, 0));
}

void print_psnr(const char* what, const std::vector<double>& all) {
  std::printf("PSNR, %s: median %.1f dB, worst %.1f dB\n", what, median(all),
              *std::ranges::min_element(all));
}

double psnr(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(double(a[i]) - double(b[i]), 2);
  return sum == 0 ? 99 : 10 * std::log10(255.0 * 255.0 * static_cast<double>(a.size()) / sum);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: packed FOLDER [SHORT_SIDE [QUALITY [ROUNDS]]]\n");
    return 2;
  }
  const auto number = [&](int i, int otherwise) {
    return argc > i ? std::atoi(argv[i]) : otherwise;
  };
  const int side = number(2, 256), quality = number(3, 90), rounds = number(4, 9);
  const auto source = image_folder(argv[1]);
  auto out = (std::filesystem::temp_directory_path() / "weir-packed-XXXXXX").string();
  if (::mkdtemp(out.data()) == nullptr) return 1;
  pack::Counts counts;
  const auto result = pack::pack(source,
                                 {.out = out,
                                  .recipe = {.short_side = static_cast<std::uint32_t>(side),
                                             .quality = quality,
                                             .decoder = {.filter = Filter::antialiased}}},
                                 counts);

  std::vector<Bytes> before, after;
  const auto index = shards::read_index(out + "/index.weir");
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    MemorySink kept;
    const auto encoded = source.read(i, kept).bytes;
    before.emplace_back(encoded.begin(), encoded.end());
    const auto& sample = index.samples[i];
    std::ifstream file(out + '/' + index.shards[sample.shard].name, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(sample.offset));
    auto& bytes = after.emplace_back(sample.bytes);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  std::filesystem::remove_all(out);

  std::printf("%zu images, short side %d, quality %d: %.2f MiB became %.2f MiB, %.0f %% saved\n",
              before.size(), side, quality, double(result.source_bytes) / (1 << 20),
              double(result.stored_bytes) / (1 << 20),
              100 - 100 * double(result.stored_bytes) / double(result.source_bytes));
  for (const auto filter : {Filter::bilinear, Filter::antialiased}) {
    const char* const how = filter == Filter::antialiased ? "antialiased" : "bilinear";
    for (const auto& [fit, name] :
         std::map<Fit, const char*>{{Fit::random, "random"}, {Fit::center, "center"}}) {
      BareDecoder decode({.fit = {.out = out_size, .fit = fit}, .filter = filter});
      std::vector<double> originals, packed, ratios;
      for (int round = 0; round < rounds; ++round) {
        originals.push_back(decode_all(before, decode, round));
        packed.push_back(decode_all(after, decode, round));
        ratios.push_back(originals.back() / packed.back());
      }
      const auto ms = 1e3 / static_cast<double>(before.size());
      std::printf("decode, %s, %s: %.3f ms became %.3f ms of CPU; ratio %.2f (%.2f to %.2f)\n",
                  name, how, median(originals) * ms, median(packed) * ms, median(ratios),
                  *std::ranges::min_element(ratios), *std::ranges::max_element(ratios));
    }
    BareDecoder center({.fit = {.out = out_size, .fit = Fit::center}, .filter = filter});
    std::vector<double> all;
    for (std::size_t i = 0; i < before.size(); ++i) {
      all.push_back(psnr(row_of(center, before[i]), row_of(center, after[i])));
    }
    print_psnr((std::string("center, ") + how).c_str(), all);
  }
  // The loss by compression alone. Center crops also differ by up to half a pixel.
  std::vector<double> stored;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto& sample = index.samples[i];
    BareDecoder whole({.fit = {.out = {sample.height, sample.width}, .fit = Fit::stretch},
                       .filter = Filter::antialiased});
    stored.push_back(psnr(row_of(whole, before[i]), row_of(whole, after[i])));
  }
  print_psnr("stored image and resized original", stored);
}
