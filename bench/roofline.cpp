// Bare loops as the machine's limit, and weir, in turns: see README.md.

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bare_jpeg.hpp"
#include "base/clock.hpp"
#include "codec/decoder.hpp"
#include "engine/thread_stats.hpp"
#include "images.hpp"
#include "measuring.hpp"
#include "weir/weir.hpp"

namespace {

using namespace weir;
using namespace weir::bench;

constexpr ImageSize shape{224, 224};
constexpr std::uint32_t batch = 64, threads = 2, queue = 4;
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
};

/// Samples a second by line and fit, one for each round.
using Rates = std::map<std::string, std::vector<double>[fits]>;

/// Calls `work` with 0 … count - 1. Uses the CPU time of this thread, so that other work on the
/// machine disturbs less.
double rate(std::uint64_t count, const std::function<void(std::uint64_t)>& work) {
  const double start = cpu_seconds();
  for (std::uint64_t i = 0; i < count; ++i) work(i);
  return static_cast<double>(count) / (cpu_seconds() - start);
}

/// weir's decoder and its scratch, without engine and books.
class BareDecoder {
 public:
  explicit BareDecoder(const codec::FitSpec& spec) : decoder_({.fit = spec}) {}
  void operator()(std::span<const std::byte> encoded, std::uint64_t draw,
                  std::span<std::uint8_t> row) {
    const auto info = decoder_.probe(encoded);
    if (!info) std::abort();
    const auto plan = decoder_.plan(*info, draw);
    const auto bytes = plan.memory.scratch;
    if (bytes + 64 > memory_.size()) memory_.resize(bytes + 64);
    void* place = memory_.data();
    std::size_t space = memory_.size();
    auto* const scratch = static_cast<std::byte*>(std::align(64, bytes, place, space));
    if (!decoder_.decode(encoded, plan, {scratch, bytes}, never_, row)) std::abort();
  }

 private:
  codec::Decoder decoder_;
  std::vector<std::byte> memory_;
  const std::atomic<bool> never_{false};
};

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
    BareDecoder weir(specs[fit]);
    const std::pair<const char*, std::function<void(std::uint64_t)>> lines[] = {
        {"huffman", [&](auto i) { bare.huffman(bytes(i)); }},
        {"full", [&](auto i) { bare.full(bytes(i), i, row(i).data()); }},
        {"roi", [&](auto i) { bare.roi(bytes(i), i, row(i).data()); }},
        {"roi, not resized", [&](auto i) { bare.roi_pixels(bytes(i), i); }},
        {"weir's decoder", [&](auto i) { weir(bytes(i), i, row(i)); }}};
    for (const auto& [name, work] : lines) rates[name][fit].push_back(rate(samples.size(), work));
  }
}

/// Two bare loops that open, read, decode and resize files, without order and queue.
double roofline(const std::vector<std::string>& files, const codec::FitSpec& spec, double seconds) {
  const auto values = image_bytes(spec.out, PixelFormat::rgb8);
  std::atomic<std::uint64_t> next{0};
  const auto start = Clock::now();
  std::vector<std::thread> loops;
  for (std::uint32_t t = 0; t < threads; ++t) {
    loops.emplace_back([&] {
      BareJpeg bare(spec);
      std::vector<std::byte> memory;
      std::vector<std::uint8_t> rows(batch * values);
      while (std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
        const auto i = next.fetch_add(1);
        const auto bytes = read_file(files[i % files.size()], memory);
        auto* const row = rows.data() + i % batch * values;
        if (spec.fit == Fit::stretch) {
          bare.straight(bytes, row);
        } else {
          bare.roi(bytes, i, row);
        }
      }
    });
  }
  for (auto& loop : loops) loop.join();
  return static_cast<double>(next) / std::chrono::duration<double>(Clock::now() - start).count();
}

/// Clock readings in weir's runs, and the CPU time of all threads in them.
struct Noted {
  std::uint64_t readings = 0, samples = 0;
  double cpu_s = 0;
};

double pipeline(const std::string& folder, const codec::FitSpec& spec, double seconds, bool floats,
                Noted* noted = nullptr) {
  Options options{.shape = spec.out,
                  .fit = spec.fit,
                  .short_side = spec.fit == Fit::center ? spec.short_side : 0,
                  .random = spec.random,
                  .batch = batch,
                  .workers = threads};
  options.queue.max_queue_size = queue;
  Loader loader(image_folder(folder), options);
  const Converter<float> to_float(imagenet);
  std::vector<float> values(floats ? batch * image_bytes(spec.out, PixelFormat::rgb8) : 0);
  const double cpu_before = process_cpu_seconds();
  auto stream = loader.stream({.epochs = std::nullopt});
  stream.next().reset();
  const auto start = Clock::now();
  std::uint64_t done = 0;
  std::chrono::duration<double> spent{};
  for (; spent.count() < seconds; spent = Clock::now() - start) {
    const auto ready = stream.next();
    if (floats) to_float(ready->pixels(), std::span(values).first(ready->pixels().pixels.size()));
    done += ready->size();
  }
  if (noted != nullptr) {
    const auto report = loader.report();
    noted->readings += report.readings;
    noted->samples += report.stages[static_cast<std::size_t>(Stage::decode)].count;
    noted->cpu_s += process_cpu_seconds() - cpu_before;
  }
  return static_cast<double>(done) / spent.count();
}

void file_round(const std::string& folder, const std::vector<std::string>& files, double seconds,
                Rates& rates, Noted& noted) {
  for (std::size_t fit = 0; fit < fits; ++fit) {
    rates["roofline"][fit].push_back(roofline(files, specs[fit], seconds));
    rates["uint8"][fit].push_back(pipeline(folder, specs[fit], seconds, false, &noted));
    rates["float32"][fit].push_back(pipeline(folder, specs[fit], seconds, true));
  }
}

/// Images that already have the output size: the overhead beside decoding is largest there.
void small_round(const std::string& folder, const std::vector<std::string>& files, double seconds,
                 Rates& rates) {
  const codec::FitSpec spec{{32, 32}, Fit::stretch, 0};
  rates["small roofline"][0].push_back(roofline(files, spec, seconds));
  rates["small uint8"][0].push_back(pipeline(folder, spec, seconds, false));
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

/// `part` of the test data, or a folder of synthetic images that the destructor removes.
class Files {
 public:
  Files(const std::string& part, ImageSize made) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
    const char* data = std::getenv("WEIR_TEST_DATA");
    if (data != nullptr && *data != '\0') {
      folder_ = std::string(data) + "/" + part;
    } else {
      made_ = true;
      folder_ = std::filesystem::temp_directory_path() /
                ("weir-" + part + "-" + std::to_string(::getpid()));
      write_images(synthetic(64, made), folder_);
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_))
      if (entry.is_regular_file()) files_.push_back(entry.path());
    std::ranges::sort(files_);
  }
  ~Files() {
    std::error_code ignored;
    if (made_) std::filesystem::remove_all(folder_, ignored);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::string folder() const { return folder_; }
  const std::vector<std::string>& files() const noexcept { return files_; }
  bool made() const noexcept { return made_; }

 private:
  std::filesystem::path folder_;
  std::vector<std::string> files_;
  bool made_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  Wish wish;
  if (argc > 1) wish.rounds = std::max(1, std::atoi(argv[1]));
  if (argc > 2) wish.seconds = std::atof(argv[2]);
  const Files photographs("photos", {375, 500}), small("cifar10", {32, 32});
  const auto samples = images(most_images);
  Rates rates;
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
  std::printf("%u threads, %zu files of %s\n", threads, small.files().size(),
              small.made() ? "about 32x32, resized to it" : "32x32, as they are");
  print_line(rates, "small roofline", nullptr);
  print_line(rates, "small uint8", "small roofline");
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
