// Rows of four images by weir, by bare loops of the same windows and by cv::imread, in turns: see README.md.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "bare_jpeg.hpp"
#include "base/clock.hpp"
#include "images.hpp"
#include "measuring.hpp"
#include "mosaic.hpp"
#include "support/decode_plan.hpp"
#include "weir/weir.hpp"

namespace {

using namespace weir;
using namespace weir::bench;
namespace fs = std::filesystem;

constexpr ImageSize shape{640, 640};
constexpr std::uint32_t batch = 16, threads = 2, queue = 4;
constexpr std::uint64_t seed = 7;

/// Which image and which window part `partner` of a row has. The same in all loops of the bench.
struct Part {
  std::uint64_t index;
  std::function<Window(ImageSize)> window;
};

Part part_of(std::uint64_t row, std::uint32_t partner, std::uint64_t count) {
  Random index(seed, partner, row);
  return {index.below(count), [=](ImageSize image) {
            Random random(seed + 1, partner, row);
            return mosaic::window({.image = image,
                                   .row = shape,
                                   .partner = partner,
                                   .row_random = Random(seed + 2, 0, row)},
                                  random);
          }};
}

/// Two threads that call `fill` with the number and the memory of a row.
template <class MakeFill>
Done loops(double seconds, const MakeFill& make_fill) {
  return in_threads(threads, seconds, [&] {
    constexpr auto bytes = image_bytes(shape, PixelFormat::rgb8);
    return [fill = make_fill(), rows = std::vector<std::uint8_t>(batch * bytes)](
               std::uint64_t row) mutable { fill(row, rows.data() + row % batch * bytes); };
  });
}

/// Open, read, decode the window's part and resize it into its place.
Done bare(const std::vector<std::string>& files, double seconds) {
  return loops(seconds, [&] {
    return [&, jpeg = std::make_unique<BareJpeg>(codec::FitSpec{.out = shape}),
            memory = std::vector<std::byte>()](std::uint64_t row, std::uint8_t* pixels) mutable {
      for (std::uint32_t partner = 0; partner < 4; ++partner) {
        const auto part = part_of(row, partner, files.size());
        jpeg->roi(read_file(files[part.index], memory), part.window, pixels, shape);
      }
    };
  });
}

/// Four whole images by cv::imread, as published trainers have it; then the same canvas.
Done by_imread(const std::vector<std::string>& files, double seconds) {
  return loops(seconds, [&] {
    return [&](std::uint64_t row, std::uint8_t* pixels) {
      cv::Mat canvas(int{shape.height}, int{shape.width}, CV_8UC3, pixels);
      for (std::uint32_t partner = 0; partner < 4; ++partner) {
        const auto part = part_of(row, partner, files.size());
        const cv::Mat image = cv::imread(files[part.index]);
        const auto window = part.window(
            {static_cast<std::uint32_t>(image.rows), static_cast<std::uint32_t>(image.cols)});
        const auto rect = [](const Rect& r) {
          const auto whole = codec::pixels_of(r);
          return cv::Rect(static_cast<int>(whole.x), static_cast<int>(whole.y),
                          static_cast<int>(whole.width), static_cast<int>(whole.height));
        };
        const cv::Mat to = canvas(rect(window.target));
        cv::resize(image(rect(window.source)), to, to.size());
        if (window.flip.horizontal) cv::flip(to, to, 1);
      }
      cv::cvtColor(canvas, canvas, cv::COLOR_BGR2RGB);
    };
  });
}

Done by_weir(const std::string& folder, double seconds) {
  auto options = mosaic::options(shape, 0);
  options.batch = batch;
  options.workers = threads;
  options.queue.max_queue_size = queue;
  Loader loader(image_folder(folder), options);
  auto stream = loader.stream({.epochs = std::nullopt});
  stream.next().reset();
  const auto start = Clock::now();
  const double cpu_before = process_cpu_seconds();
  Done done;
  for (; done.wall_s < seconds; done.wall_s = weir::seconds(Clock::now() - start))
    done.count += stream.next()->size();
  done.cpu_s = process_cpu_seconds() - cpu_before;
  return done;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 1.5;
  const auto folder = fs::temp_directory_path() / ("weir-mosaic-" + std::to_string(::getpid()));
  std::uint64_t number = 0;
  fs::create_directories(folder);
  std::vector<std::string> files;
  for (const auto& sample : images(1000)) {
    files.push_back(folder / (std::to_string(number++) + ".jpg"));
    std::ofstream(files.back(), std::ios::binary)
        .write(reinterpret_cast<const char*>(sample.bytes.data()), std::ssize(sample.bytes));
  }
  std::map<std::string, std::vector<double>> rates, times;
  const auto add = [&](const char* name, const Done& done) {
    rates[name].push_back(done.rate());
    times[name].push_back(1e3 * done.cpu_s / static_cast<double>(done.count));
  };
  for (int round = 0; round < rounds; ++round) {
    add("weir", by_weir(folder, seconds));
    add("bare loops", bare(files, seconds));
    add("imread", by_imread(files, seconds));
  }
  fs::remove_all(folder);
  std::printf(
      "%zu photographs, %d rounds of %.1f s in turns; rows of 4 images/s, medians, 2 threads\n",
      files.size(), rounds, seconds);
  for (const auto& [name, of] : rates)
    std::printf("  %-12s %8.1f, %.1f ms of CPU each\n", name.c_str(), median(of),
                median(times[name]));
  const auto ratio = [&](const char* other) {
    std::vector<double> speed, cpu;
    for (std::size_t i = 0; i < rates[other].size(); ++i) {
      speed.push_back(rates["weir"][i] / rates[other][i]);
      cpu.push_back(times[other][i] / times["weir"][i]);
    }
    const auto [least, most] = std::ranges::minmax(speed);
    std::printf("weir of %s: %.3f (%.3f-%.3f), by CPU time %.3f\n", other, median(speed), least,
                most, median(cpu));
  };
  ratio("bare loops");
  ratio("imread");
}
