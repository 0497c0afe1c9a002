#include "loops.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <random>
#include <utility>

#include "bare_jpeg.hpp"
#include "base/clock.hpp"
#include "images.hpp"
#include "measuring.hpp"

namespace weir::bench {

double cpu_rate(std::uint64_t count, const std::function<void(std::uint64_t)>& work) {
  const auto start = thread_cpu_time();
  for (std::uint64_t i = 0; i < count; ++i) work(i);
  return static_cast<double>(count) / seconds(thread_cpu_time() - start);
}

double bare_files(const std::vector<std::string>& files, const codec::FitSpec& spec, double seconds,
                  Noted* noted) {
  const auto values = image_bytes(spec.out, PixelFormat::rgb8);
  const auto done = in_threads(threads, seconds, [&] {
    return [&, bare = std::make_unique<BareJpeg>(spec), memory = std::vector<std::byte>(),
            rows = std::vector<std::uint8_t>(off_alignment + batch * values)](
               std::uint64_t i) mutable {
      const auto bytes = read_file(files[i % files.size()], memory);
      auto* const row = rows.data() + off_alignment + i % batch * values;
      if (spec.fit == Fit::stretch) {
        bare->straight(bytes, row);
      } else {
        bare->roi(bytes, i, row);
      }
    };
  });
  if (noted != nullptr) {
    noted->samples += done.count;
    noted->cpu_s += done.cpu_s;
  }
  return done.rate();
}

double weir_files(const std::string& folder, const codec::FitSpec& spec, double seconds,
                  bool floats, Noted* noted) {
  Options options{.shape = spec.out,
                  .fit = spec.fit,
                  .short_side = spec.fit == Fit::center ? spec.short_side : 0,
                  .random = spec.random,
                  .batch = batch,
                  .workers = threads};
  options.queue.max_queue_size = queue;
  const auto images = image_folder(folder);
  // Full batches of a few large images.
  if (images.size() < batch) options.order = Order::with_replacement(16 * batch);
  Loader loader(images, options);
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

Files::Files(const std::string& part, ImageSize made) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
  const char* data = std::getenv("WEIR_TEST_DATA");
  if (data != nullptr && *data != '\0') {
    folder_ = std::string(data) + "/" + part;
  } else {
    make(part, synthetic(64, made));
  }
  list();
}

Files::Files(const std::string& name, std::vector<MemorySample> images) {
  make(name, in_memory(std::move(images)));
  list();
}

void Files::make(const std::string& name, const AnySource& images) {
  made_ = true;
  folder_ =
      std::filesystem::temp_directory_path() / ("weir-" + name + "-" + std::to_string(::getpid()));
  write_images(images, folder_);
}

void Files::list() {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_))
    if (entry.is_regular_file()) files_.push_back(entry.path());
  std::ranges::sort(files_);
  // Bare loops read in a random order, too. Names in a row lie side by side in the kernel's caches.
  std::ranges::shuffle(files_, std::mt19937());
}

Files::~Files() {
  std::error_code ignored;
  if (made_) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace weir::bench
