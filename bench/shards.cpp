// Reading shards beside reading a folder: see README.md and shards.py, which runs this.
//   shards_bench make FOLDER COUNT   writes made JPEGs, 100 in each of its folders
//   shards_bench read DATA           reads each sample once, shuffled, two threads; seconds
//   shards_bench warm FOLDER SHARDS ROUNDS   whole loaders in turns; ratio of each round, median
//   shards_bench index FILE          writes and reads an index of 1.28 million samples; seconds

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "images.hpp"
#include "shards/index.hpp"
#include "source/sampler.hpp"
#include "weir/shards.hpp"
#include "weir/weir.hpp"

namespace {

using namespace weir;
using namespace weir::bench;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

AnySource open_any(const std::string& data) {
  const bool folder = std::filesystem::is_directory(data) &&
                      !std::filesystem::exists(std::filesystem::path(data) / "index.weir");
  return folder ? image_folder(data) : tar_shards(data);
}

void make(const std::filesystem::path& folder, std::uint64_t count) {
  const auto made = synthetic(count, {120, 160});
  HeapSink sink;
  for (std::uint64_t i = 0; i < count; ++i) {
    char name[64];
    std::snprintf(name, sizeof name, "%05llu/%08llu.jpg", static_cast<unsigned long long>(i / 100),
                  static_cast<unsigned long long>(i));
    const auto bytes = made.read(i, sink).bytes;
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
}

void read(const std::string& data) {
  const auto source = open_any(data);
  const source::Sampler order(source.size(), Order::shuffle(), 1);
  std::atomic<std::uint64_t> next{0}, bytes{0};
  const auto start = Clock::now();
  std::vector<std::thread> readers;
  for (int t = 0; t < 2; ++t)
    readers.emplace_back([&] {
      HeapSink sink;
      for (auto i = next++; i < source.size(); i = next++)
        bytes += source.read(order.index(0, source::Position(i)), sink).bytes.size();
    });
  for (auto& reader : readers) reader.join();
  std::printf("%.4f\n", seconds_since(start));
  std::fprintf(stderr, "%llu samples, %llu bytes\n", static_cast<unsigned long long>(source.size()),
               static_cast<unsigned long long>(bytes.load()));
}

double rate(const AnySource& source) {
  Loader loader(source,
                {.shape = {224, 224}, .order = Order::shuffle(), .batch = 50, .workers = 2});
  auto stream = loader.stream({.epochs = 3});
  stream.next().reset();
  std::uint64_t done = 0;
  const auto start = Clock::now();
  while (const auto batch = stream.next()) done += batch->size();
  return static_cast<double>(done) / seconds_since(start);
}

void warm(const std::string& folder, const std::string& shards, int rounds) {
  const auto one = image_folder(folder), other = tar_shards(shards);
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    double of[2];
    for (const int turn : {round % 2, 1 - round % 2}) of[turn] = rate(turn == 0 ? one : other);
    ratios.push_back(of[1] / of[0]);
    std::printf("  folder %7.0f samples/s, shards %7.0f samples/s, ratio %.3f\n", of[0], of[1],
                ratios.back());
  }
  std::ranges::sort(ratios);
  std::printf("median ratio %.3f (%.3f-%.3f)\n", ratios[ratios.size() / 2], ratios.front(),
              ratios.back());
}

void index(const std::string& path) {
  constexpr std::uint32_t shard_count = 1280, each = 1000;
  shards::Index index;
  for (std::uint32_t s = 0; s < shard_count; ++s) {
    index.shards.push_back({.name = "train-" + std::to_string(10000 + s) + ".tar",
                            .bytes = std::uint64_t{each} * 120'000,
                            .first = index.samples.size()});
    for (std::uint32_t i = 0; i < each; ++i)
      index.samples.push_back(
          {.offset = std::uint64_t{i} * 120'000,
           .name = index.add_name("n01440764/n01440764_" +
                                  std::to_string(10'000'000 + s * each + i) + ".JPEG"),
           .bytes = 110'000,
           .shard = s,
           .height = 375,
           .width = 500});
  }
  shards::write_index(path, index);
  index = {};
  const auto start = Clock::now();
  const auto read = shards::read_index(path);
  std::printf("%zu samples: %.3f s, %.1f MiB\n", read.samples.size(), seconds_since(start),
              static_cast<double>(read.held_bytes()) / (1 << 20));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::string what = words.empty() ? "" : words[0];
  if (what == "make" && words.size() == 3) {
    make(words[1], std::strtoull(words[2].c_str(), nullptr, 10));
  } else if (what == "read" && words.size() == 2) {
    read(words[1]);
  } else if (what == "warm" && words.size() == 4) {
    warm(words[1], words[2], std::max(1, std::atoi(words[3].c_str())));
  } else if (what == "index" && words.size() == 2) {
    index(words[1]);
  } else {
    std::fprintf(stderr, "usage: shards_bench make|read|warm|index …; see bench/shards.py\n");
    return 2;
  }
}
