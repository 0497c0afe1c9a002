// One image at a time, as trainers of 3D scenes need: undistorted on the workers, at a quarter, at a half and
// at full size, with its mask. The files stay encoded in a cache. OpenSplat's loop does the same for each image:
// cv::imread, undistort, cv::resize. The images are compared, and with --rounds the speed and the bytes, also with
// those of OpenSplat's own cache (JPEGs of the undistorted images in all three sizes), and of weir reading a folder of
// images that are undistorted once.
//   full_size [IMAGES [MASKS]] [--each STEPS] [--rounds N]
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>
#include <weir/interop/opencv.hpp>
#include <weir/weir.hpp>

#include "undistort.hpp"

namespace {

namespace fs = std::filesystem;

/// Images and masks of the same stems.
struct Scene {
  fs::path images, masks;
};

/// 1/4 of the size, 1/2 and 1, each for `each` steps: OpenSplat's --num-downscales 2 and --resolution-schedule.
std::uint32_t divisor_at(std::uint64_t step, std::uint64_t each) {
  return 4u >> std::min<std::uint64_t>(step / each, 2);
}

weir::ImageSize divided(weir::ImageSize size, std::uint32_t divisor) {
  return {std::max(1u, size.height / divisor), std::max(1u, size.width / divisor)};
}

/// On weir's workers. What the row shows is not a rectangle of the image, so the window stays as it is.
void undistort_sample(weir::DecodedSample& sample) {
  const Camera camera(sample.image.shape);
  undistort(weir::as_mat(sample.image), camera, weir::as_mat(sample.row), cv::INTER_AREA,
            *sample.scratch);
  if (sample.planes.empty()) return;
  const auto& mask = sample.planes.front();
  if (mask.status != weir::PlaneStatus::ok) return;  // a view may be without a mask
  const auto row = weir::as_mat(mask.row);
  undistort(weir::as_mat(mask.image), camera, row, cv::INTER_LINEAR, *sample.scratch);
  if (mask.row.shape != camera.undistorted()) cv::threshold(row, row, 127, 255, cv::THRESH_BINARY);
}

weir::AnySource source_of(const Scene& scene) {
  const auto images = weir::image_folder(scene.images);
  return scene.masks.empty() ? images
                             : weir::with_plane(images, "mask", weir::image_folder(scene.masks),
                                                weir::MissingPlane::absent);
}

/// What the files are: as a camera gives them, or undistorted.
enum class Files : std::uint8_t { distorted, flat };

weir::ImageSize flat_size(weir::ImageSize image, Files files) {
  return files == Files::flat ? image : Camera(image).undistorted();
}

weir::Options one_at_a_time(const weir::AnySource& source, std::uint64_t each, bool masks,
                            Files files) {
  weir::ImageSize largest;
  const auto sizes = weir::measure_sizes(source, {});
  for (std::uint64_t i = 0; i < sizes->size(); ++i) {
    const auto [height, width] = flat_size((*sizes)[i], files);
    largest = {std::max(largest.height, height), std::max(largest.width, width)};
  }
  weir::Options options;
  options.batch = 1;
  options.order = weir::Order::shuffle();
  options.queue.max_queue_size = 256;  // slots; max_bytes is the effective bound
  options.queue.max_bytes =
      std::max<std::uint64_t>(2 * 3 * largest.height * largest.width, 1 << 20);
  options.cache = {.keep = weir::Cache::encoded, .max_bytes = 1u << 30};
  options.memory.max_sample_bytes = weir::ByteBound::measured;
  options.sizes = {
      .mode = weir::Sizes::ragged,
      .max_height = largest.height,
      .max_width = largest.width,
      .size = {.name = "1/4, 1/2, 1", .of = [=, steps = source.size()](const weir::SizeInput& in) {
                 return divided(flat_size(in.image, files),
                                divisor_at(in.epoch * steps + in.step, each));
               }}};
  if (files == Files::distorted)
    options.transform = {.apply = undistort_sample, .scratch_bytes = 2 * undistort_bytes(largest)};
  else
    options.decode = weir::Decode::fast;  // a quarter of the size needs no full decode
  if (masks)
    options.planes = {{.name = "mask", .pixels = weir::PixelFormat::grey8, .optional = true}};
  return options;
}

/// One image by the loop, and the bytes of its matrices.
struct Looped {
  cv::Mat image, mask;
  std::uint64_t bytes = 0;
};

Looped by_loop(const fs::path& image, const fs::path& mask, std::uint32_t divisor) {
  Looped made;
  const auto bytes = [](const cv::Mat& mat) { return mat.total() * mat.elemSize(); };
  cv::Mat whole = cv::imread(image), flat;
  cv::cvtColor(whole, whole, cv::COLOR_BGR2RGB);
  const Camera camera(
      {static_cast<std::uint32_t>(whole.rows), static_cast<std::uint32_t>(whole.cols)});
  const auto [height, width] = camera.undistorted();
  const auto divided_size = divided(camera.undistorted(), divisor);
  const cv::Size out(static_cast<int>(divided_size.width), static_cast<int>(divided_size.height));
  cv::Mat across(static_cast<int>(height), static_cast<int>(width), CV_32F), down = across.clone();
  camera.map(0, across, down);
  const auto smaller = [&](cv::Mat& to, int interpolation) {
    cv::resize(flat, to, out, 0, 0, interpolation);
  };
  cv::remap(whole, flat, across, down, cv::INTER_LINEAR);
  smaller(made.image, cv::INTER_AREA);
  made.bytes = bytes(whole) + bytes(across) + bytes(down) + bytes(flat) + bytes(made.image);
  if (mask.empty()) return made;
  cv::remap(cv::imread(mask, cv::IMREAD_GRAYSCALE), flat, across, down, cv::INTER_LINEAR);
  smaller(made.mask, cv::INTER_LINEAR);
  if (divisor > 1) cv::threshold(made.mask, made.mask, 127, 255, cv::THRESH_BINARY);
  return made;
}

/// What OpenSplat keeps of an image: JPEGs of quality 95 in each size, and the masks as they are.
struct Kept {
  std::vector<std::uint8_t> jpegs[5];
  cv::Mat masks[5];

  Kept(const fs::path& image, const fs::path& mask) {
    auto whole = by_loop(image, mask, 1);
    cv::cvtColor(whole.image, whole.image, cv::COLOR_RGB2BGR);
    for (const int divisor : {4, 2, 1}) {
      const cv::Size size(whole.image.cols / divisor, whole.image.rows / divisor);
      cv::Mat smaller;
      cv::resize(whole.image, smaller, size, 0, 0, cv::INTER_AREA);
      cv::imencode(".jpg", smaller, jpegs[divisor], {cv::IMWRITE_JPEG_QUALITY, 95});
      if (!whole.mask.empty()) cv::resize(whole.mask, masks[divisor], size);
    }
  }
  cv::Mat image(std::uint32_t divisor) const {
    cv::Mat whole = cv::imdecode(jpegs[divisor], cv::IMREAD_COLOR);
    cv::cvtColor(whole, whole, cv::COLOR_BGR2RGB);
    return whole;
  }
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const std::uint32_t divisor : {4u, 2u, 1u})
      sum += jpegs[divisor].size() + masks[divisor].total();
    return sum;
  }
};

/// What each did, by divisor: 1, 2 and 4.
struct Figures {
  double seconds[5] = {}, cpu_s[5] = {};
  std::uint64_t images[5] = {}, bytes = 0;
  double start_s = 0;  ///< CPU time before the first image
};

/// Wall time, and CPU time of all threads, since it was made or asked.
class Watch {
 public:
  void add_to(Figures& figures, std::uint32_t divisor) {
    const auto now = std::chrono::steady_clock::now();
    const auto cpu = std::clock();
    figures.seconds[divisor] +=
        std::chrono::duration<double>(now - std::exchange(wall_, now)).count();
    figures.cpu_s[divisor] += static_cast<double>(cpu - std::exchange(cpu_, cpu)) / CLOCKS_PER_SEC;
  }

 private:
  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
  std::clock_t cpu_ = std::clock();
};

/// Counts pixels that differ by more than 1.
struct Difference {
  std::uint64_t values = 0, off = 0;
  double most = 0;

  void add(const cv::Mat& one, const cv::Mat& other) {
    if (one.size() != other.size()) throw std::runtime_error("the sizes differ");
    cv::Mat apart, beyond;
    cv::absdiff(one, other, apart);
    cv::compare(apart.reshape(1), 1, beyond, cv::CMP_GT);
    values += beyond.total();
    off += static_cast<std::uint64_t>(cv::countNonZero(beyond));
    most = std::max(most, cv::norm(apart, cv::NORM_INF));
  }
  bool within(double share) const {
    return static_cast<double>(off) <= share * static_cast<double>(values);
  }
};

class Comparison {
 public:
  Comparison(const Scene& scene, std::uint64_t each, Files kind = Files::distorted)
      : scene_(scene),
        each_(each),
        source_(source_of(scene)),
        loader_(source_, one_at_a_time(source_, each, !scene.masks.empty(), kind)) {}

  std::uint64_t epochs() const { return (3 * each_ + source_.size() - 1) / source_.size(); }

  /// Every `which`th image of all steps beside that of the loop.
  void check(std::uint64_t which, Difference& images, Difference& masks) {
    std::uint64_t step = 0;
    for (weir::Batch& batch : loader_.stream({.epochs = epochs()})) {
      if (step++ % which != 0) continue;
      const auto [image, mask] = files(batch.indices()[0]);
      const auto looped = by_loop(image, mask, divisor_at(step - 1, each_));
      images.add(weir::as_mat(batch.image(0)), looped.image);
      if (!looped.mask.empty()) masks.add(weir::as_mat(batch.plane("mask").image(0)), looped.mask);
    }
  }

  /// The time of all steps, by divisor.
  void stream(Figures& figures) {
    std::uint64_t step = 0;
    Watch watch;
    for ([[maybe_unused]] weir::Batch& batch : loader_.stream({.epochs = epochs()})) {
      const auto divisor = divisor_at(step++, each_);
      watch.add_to(figures, divisor);
      ++figures.images[divisor];
    }
    figures.bytes = loader_.snapshot().memory.peak;
  }

  /// The same with the loop in as many threads.
  void loop(Figures& figures) {
    std::atomic<std::uint64_t> bytes{0};
    each_size(figures, [&](std::uint64_t i, std::uint32_t divisor) {
      const auto [image, mask] = files(i);
      bytes = by_loop(image, mask, divisor).bytes;
    });
    figures.bytes = bytes * loader_.plan().workers;
  }

  /// The same with OpenSplat's cache. `images`: all of them beside those of the loop.
  void cached_loop(Figures& figures, Difference& images) {
    const auto before = std::clock();
    std::vector<Kept> kept;
    figures.bytes = 0;
    for (std::uint64_t i = 0; i < source_.size(); ++i) {
      const auto [image, mask] = files(i);
      figures.bytes += kept.emplace_back(image, mask).bytes();
    }
    figures.start_s = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    std::atomic<std::uint64_t> bytes{0};
    each_size(figures, [&](std::uint64_t i, std::uint32_t divisor) {
      const auto image = kept[i].image(divisor);
      bytes = std::max<std::uint64_t>(bytes, image.total() * image.elemSize());
    });
    figures.bytes += bytes * loader_.plan().workers;
    for (std::uint64_t i = 0; i < kept.size(); ++i) {
      const auto [image, mask] = files(i);
      images.add(kept[i].image(4), by_loop(image, mask, 4).image);
    }
  }
  /// The undistorted images as JPEGs of quality 95, and their masks.
  Scene flattened(const fs::path& folder) const {
    const Scene flat{folder / "images", scene_.masks.empty() ? fs::path() : folder / "masks"};
    for (std::uint64_t i = 0; i < source_.size(); ++i) {
      const auto [image, mask] = files(i);
      auto made = by_loop(image, mask, 1);
      cv::cvtColor(made.image, made.image, cv::COLOR_RGB2BGR);
      const auto name = fs::path(source_.name(i)).replace_extension();
      fs::create_directories((flat.images / name).parent_path());
      cv::imwrite((flat.images / name).string() + ".jpg", made.image,
                  {cv::IMWRITE_JPEG_QUALITY, 95});
      if (mask.empty()) continue;
      fs::create_directories((flat.masks / name).parent_path());
      cv::imwrite((flat.masks / name).string() + ".png", made.mask);
    }
    return flat;
  }
  const weir::Loader& loader() const { return loader_; }

 private:
  /// Calls `make` with an image and a divisor, for the steps of each size, in as many threads as weir has workers.
  template <class Make>
  void each_size(Figures& figures, const Make& make) {
    for (const std::uint32_t divisor : {4u, 2u, 1u}) {
      std::atomic<std::uint64_t> next{0};
      Watch watch;
      const auto work = [&] {
        for (auto i = next++; i < each_; i = next++) make(i % source_.size(), divisor);
      };
      {
        std::vector<std::jthread> threads(loader_.plan().workers);
        for (auto& thread : threads) thread = std::jthread(work);
      }
      watch.add_to(figures, divisor);
      figures.images[divisor] += each_;
    }
  }

  struct Paths {
    fs::path image, mask;
  };
  Paths files(std::uint64_t index) const {
    const fs::path name = source_.name(index);
    const auto mask = (scene_.masks / name).replace_extension(".png");
    return {scene_.images / name, scene_.masks.empty() || !fs::exists(mask) ? fs::path() : mask};
  }

  const Scene scene_;
  const std::uint64_t each_;
  const weir::AnySource source_;
  weir::Loader loader_;
};

/// Images of noise, and masks of discs. Every fourth has none.
Scene made(const fs::path& folder) {
  const Scene scene{folder / "images", folder / "masks"};
  fs::create_directories(scene.images);
  fs::create_directories(scene.masks);
  cv::RNG random(7);
  for (int i = 0; i < 12; ++i) {
    const auto stem = "view " + std::to_string(i);
    cv::Mat image(300, 403, CV_8UC3);
    random.fill(image, cv::RNG::UNIFORM, 0, 256);
    cv::GaussianBlur(image, image, {}, 2);
    cv::normalize(image, image, 0, 255, cv::NORM_MINMAX);
    cv::imwrite(scene.images / (stem + ".jpg"), image);
    if (i % 4 == 3) continue;
    cv::Mat mask(300, 403, CV_8U, cv::Scalar(0));
    cv::circle(mask, {100 + 10 * i, 150}, 80, cv::Scalar(255), cv::FILLED);
    cv::imwrite(scene.masks / (stem + ".png"), mask);
  }
  return scene;
}

void print(const char* what, const Figures& figures) {
  std::printf("%s:", what);
  for (const int divisor : {4, 2, 1}) {
    const auto images = static_cast<double>(figures.images[divisor]);
    std::printf(" 1/%d %.2f images/s, %.0f ms of CPU each;", divisor,
                images / figures.seconds[divisor], 1e3 * figures.cpu_s[divisor] / images);
  }
  std::printf(" %.1f MiB", static_cast<double>(figures.bytes) / (1 << 20));
  if (figures.start_s > 0) std::printf("; %.1f s of CPU before the first", figures.start_s);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) try {
  Scene scene;
  std::uint64_t each = 0, rounds = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--each" && i + 1 < argc)
      each = std::strtoull(argv[++i], nullptr, 10);
    else if (word == "--rounds" && i + 1 < argc)
      rounds = std::strtoull(argv[++i], nullptr, 10);
    else
      (scene.images.empty() ? scene.images : scene.masks) = word;
  }
  const auto folder = fs::temp_directory_path() / ("weir full size " + std::to_string(getpid()));
  const bool given = !scene.images.empty();
  if (!given) scene = made(folder);
  if (each == 0) each = given ? 3000 : 12;
  cv::setNumThreads(1);  // both use a thread for each image
  Comparison comparison(scene, each);
  Difference images, masks, twice;
  if (rounds == 0) comparison.check(given ? 97 : 1, images, masks);
  Figures weir_figures, loop_figures, cached_figures, flat_figures;
  std::optional<Comparison> flat;
  if (rounds > 0) {
    const auto before = std::clock();
    flat.emplace(comparison.flattened(folder / "flat"), each, Files::flat);
    flat_figures.start_s = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  }
  for (std::uint64_t round = 0; round < rounds; ++round) {
    comparison.stream(weir_figures);
    comparison.loop(loop_figures);
    comparison.cached_loop(cached_figures, twice);
    flat->stream(flat_figures);
  }
  if (rounds > 0) {
    print("weir", weir_figures);
    print("loop", loop_figures);
    print("loop with OpenSplat's cache", cached_figures);
    print("weir, images undistorted once", flat_figures);
    std::printf("  of its values at 1/4 %.0f %% differ by more than 1, at most by %.0f\n",
                100 * static_cast<double>(twice.off) / static_cast<double>(twice.values),
                twice.most);
  }
  const auto report = comparison.loader().report();
  std::printf("%llu images, the largest %u x %u; %llu read, %llu from the cache\n",
              static_cast<unsigned long long>(report.samples.consumed),
              comparison.loader().plan().sizes.largest.height,
              comparison.loader().plan().sizes.largest.width,
              static_cast<unsigned long long>(report.cache.misses),
              static_cast<unsigned long long>(report.cache.hits));
  std::printf("%.1f MiB live at the peak\n", static_cast<double>(report.memory.peak) / (1 << 20));
  std::printf(
      "of %llu values of images %llu differ by more than 1, of %llu of masks %llu\n",
      static_cast<unsigned long long>(images.values), static_cast<unsigned long long>(images.off),
      static_cast<unsigned long long>(masks.values), static_cast<unsigned long long>(masks.off));
  fs::remove_all(folder);
  return images.within(0) && masks.within(1e-3) ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
