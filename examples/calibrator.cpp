// INT8 calibration: a calibrator of TensorRT's shape that is fed by weir, beside the OpenCV loop that
// it replaces. Both give the same floats, to the bit.
//   calibrator [FOLDER] [--rounds N]
// --rounds measures the speed of both in turns, each with two threads. Without a folder the images are
// made: portraits, tiny ones and very wide ones.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

namespace {

/// The functions of nvinfer1::IInt8EntropyCalibrator2. There the bindings are pointers to memory of
/// the device, so getBatch ends with a cudaMemcpy.
class Int8Calibrator {
 public:
  virtual ~Int8Calibrator() = default;
  // NOLINTBEGIN(readability-identifier-naming): the names are TensorRT's
  virtual std::int32_t getBatchSize() const noexcept = 0;
  virtual bool getBatch(void* bindings[], const char* names[],
                        std::int32_t nbBindings) noexcept = 0;
  virtual const void* readCalibrationCache(std::size_t& length) noexcept = 0;
  virtual void writeCalibrationCache(const void* cache, std::size_t length) noexcept = 0;
  // NOLINTEND(readability-identifier-naming)
};

/// What both calibrators share: the size of a batch, and the file of the scales that TensorRT found.
class TableCalibrator : public Int8Calibrator {
 public:
  TableCalibrator(std::int32_t batch, std::string table)
      : batch_(batch), table_(std::move(table)) {}
  std::int32_t getBatchSize() const noexcept override { return batch_; }
  const void* readCalibrationCache(std::size_t& length) noexcept override {
    std::ifstream in(table_, std::ios::binary);
    cache_.assign(std::istreambuf_iterator<char>(in), {});
    length = cache_.size();
    return length > 0 ? cache_.data() : nullptr;
  }
  void writeCalibrationCache(const void* cache, std::size_t length) noexcept override {
    std::ofstream(table_, std::ios::binary)
        .write(static_cast<const char*>(cache), static_cast<std::streamsize>(length));
  }

 private:
  std::int32_t batch_;
  std::string table_;
  std::vector<char> cache_;
};

/// The letterbox of tensorrtx's calibrators: the ratios are float, the sides are truncated.
weir::Window letterbox(const weir::WindowInput& in, weir::Random&) {
  const double width = in.image.width, height = in.image.height;
  double w = in.row.width, h = in.row.height;
  const auto across = static_cast<float>(w / width), down = static_cast<float>(h / height);
  if (down > across)
    h = std::trunc(across * static_cast<float>(height));
  else
    w = std::trunc(down * static_cast<float>(width));
  const double x = std::floor((in.row.width - w) / 2), y = std::floor((in.row.height - h) / 2);
  return {.source = {0, 0, width, height}, .target = {x, y, w, h}};
}

/// Fed by weir: files are decoded ahead of getBatch, by all cores.
class WeirCalibrator final : public TableCalibrator {
 public:
  WeirCalibrator(weir::AnySource images, std::int32_t batch, weir::ImageSize row, std::string table,
                 std::uint32_t workers = 0)
      : TableCalibrator(batch, std::move(table)),
        loader_(std::move(images),
                {.shape = row,
                 .window = {.choose = letterbox, .name = "letterbox of tensorrtx"},
                 .fill = {128, 128, 128},
                 .batch = static_cast<std::uint32_t>(batch),
                 .workers = workers,
                 .drop_last = true}),
        stream_(loader_.stream()),
        input_(loader_.plan().batch * loader_.plan().row_values()) {}

  bool getBatch(void* bindings[], const char*[], std::int32_t) noexcept override try {
    const auto batch = stream_.next();
    if (!batch) return false;
    to_float_(batch->pixels(), input_);
    bindings[0] = input_.data();
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());  // names the file that does not decode
    return false;
  }

 private:
  weir::Loader loader_;
  weir::Stream stream_;
  // blobFromImages multiplies in float. weir's default divides exactly, as a loop with / 255.0 does.
  weir::Converter<float> to_float_{{.scale = 1.0F / 255}};
  std::vector<float> input_;
};

/// The loop that it replaces.
class OpenCvCalibrator final : public TableCalibrator {
 public:
  OpenCvCalibrator(std::vector<std::string> files, std::int32_t batch, weir::ImageSize row,
                   std::string table)
      : TableCalibrator(batch, std::move(table)),
        files_(std::move(files)),
        width_(static_cast<int>(row.width)),
        height_(static_cast<int>(row.height)),
        input_(static_cast<std::size_t>(batch) * 3 * row.width * row.height) {}

  bool getBatch(void* bindings[], const char*[], std::int32_t) noexcept override try {
    const auto batch = static_cast<std::size_t>(getBatchSize());
    if (next_ + batch > files_.size()) return false;
    for (std::size_t row = 0; row < batch; ++row, ++next_) {
      const cv::Mat image = cv::imread(files_[next_]);
      if (image.empty()) return false;
      write(preprocess(image), row);
    }
    bindings[0] = input_.data();
    return true;
  } catch (const std::exception&) {
    return false;
  }

 private:
  cv::Mat preprocess(const cv::Mat& image) const {
    const auto across = static_cast<float>(width_ / (image.cols * 1.0)),
               down = static_cast<float>(height_ / (image.rows * 1.0));
    int w = width_, h = height_, x = 0, y = 0;
    if (down > across) {
      h = static_cast<int>(across * static_cast<float>(image.rows));
      y = (height_ - h) / 2;
    } else {
      w = static_cast<int>(down * static_cast<float>(image.cols));
      x = (width_ - w) / 2;
    }
    cv::Mat inside;
    cv::resize(image, inside, {w, h}, 0, 0, cv::INTER_LINEAR);
    cv::Mat out(height_, width_, CV_8UC3, cv::Scalar(128, 128, 128));
    inside.copyTo(out(cv::Rect(x, y, w, h)));
    return out;
  }

  /// What cv::dnn::blobFromImages does with a scale of 1 / 255 and swapRB.
  void write(const cv::Mat& bgr, std::size_t row) {
    cv::Mat floats;
    bgr.convertTo(floats, CV_32F, 1.0 / 255);
    const auto pixels = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
    float* const red = input_.data() + row * 3 * pixels;
    const auto plane = [&](std::size_t c) {
      return cv::Mat(height_, width_, CV_32F, red + c * pixels);
    };
    std::vector<cv::Mat> planes{plane(2), plane(1), plane(0)};
    cv::split(floats, planes);
  }

  std::vector<std::string> files_;
  int width_, height_;
  std::size_t next_ = 0;
  std::vector<float> input_;
};

/// A folder of made JPEGs and PNGs, which the destructor removes.
class MadeImages {
 public:
  MadeImages() {
    std::filesystem::create_directory(folder_);
    cv::RNG random(1);
    // The last three have whole sides by exact arithmetic, but one pixel less with ratios in float.
    for (const auto& size : {cv::Size{30, 40},
                             {7, 5},
                             {1, 1},
                             {1900, 60},
                             {60, 1900},
                             {333, 500},
                             {500, 334},
                             {641, 481},
                             {640, 640},
                             {1280, 960},
                             {320, 320},
                             {639, 639},
                             {400, 1000},
                             {235, 188},
                             {188, 235},
                             {205, 41}}) {
      cv::Mat rough(9, 9, CV_8UC3), image;
      random.fill(rough, cv::RNG::UNIFORM, 0, 256);
      cv::resize(rough, image, size, 0, 0, cv::INTER_CUBIC);
      const auto name = folder_ / (std::to_string(size.width) + "x" + std::to_string(size.height));
      for (const char* extension : {".jpg", ".png"})
        if (!cv::imwrite(name.string() + extension, image))
          throw std::runtime_error("cannot write to " + folder_.string());
    }
  }
  ~MadeImages() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  MadeImages(const MadeImages&) = delete;
  MadeImages& operator=(const MadeImages&) = delete;
  std::string folder() const { return folder_.string(); }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("weir_calibrator_" + std::to_string(std::random_device{}()));
};

constexpr std::int32_t batch = 4;
constexpr weir::ImageSize row{640, 640};
constexpr std::uint32_t threads = 2;

struct Images {
  explicit Images(const std::string& folder) : source(weir::image_folder(folder)) {
    for (std::uint64_t i = 0; i < source.size(); ++i)
      files.push_back(folder + "/" + source.name(i));
  }
  WeirCalibrator by_weir(const std::string& table = {}) const {
    return {source, batch, row, table, threads};
  }
  OpenCvCalibrator by_opencv() const { return {files, batch, row, {}}; }

  weir::AnySource source;
  std::vector<std::string> files;
};

/// The batches of both, compared bit by bit. The numbers of batches and of floats that differ.
std::pair<std::size_t, std::size_t> compare(Int8Calibrator& one, Int8Calibrator& other) {
  const char* names[] = {"images"};
  void *ours[1], *theirs[1];
  std::size_t batches = 0, wrong = 0;
  for (;; ++batches) {
    const bool more = one.getBatch(ours, names, 1);
    if (more != other.getBatch(theirs, names, 1)) throw std::runtime_error("one ends early");
    if (!more) return {batches, wrong};
    const auto values = static_cast<std::size_t>(batch) * 3 * row.height * row.width;
    const auto *a = static_cast<const float*>(ours[0]), *b = static_cast<const float*>(theirs[0]);
    for (std::size_t i = 0; i < values; ++i)
      wrong += std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i]) ? 1U : 0U;
  }
}

/// Whether the scales that TensorRT writes are read in its next run.
bool keeps_table(const Images& images, const std::string& folder) {
  const std::string scales = "images: 3c010a14";
  images.by_weir(folder + "/table").writeCalibrationCache(scales.data(), scales.size());
  auto next = images.by_weir(folder + "/table");
  std::size_t length = 0;
  const void* const read = next.readCalibrationCache(length);
  return length == scales.size() && std::memcmp(read, scales.data(), length) == 0;
}

/// Images a second, and milliseconds of CPU time an image, with the start of the calibrator.
struct Speed {
  double images_s, cpu_ms;
};

template <class Make>
Speed speed_of(const Make& make) {
  const auto start = std::chrono::steady_clock::now();
  const auto cpu_start = std::clock();
  auto calibrator = make();
  const char* names[] = {"images"};
  void* bindings[1];
  double images = 0;
  while (calibrator.getBatch(bindings, names, 1)) images += batch;
  const double cpu_s = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  return {images / wall.count(), 1000 * cpu_s / images};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void measure(const Images& images, int rounds) {
  std::vector<double> weir, opencv, weir_cpu, opencv_cpu, ratios;
  for (int round = 0; round < rounds; ++round) {
    const auto one = speed_of([&] { return images.by_weir(); });
    const auto other = speed_of([&] { return images.by_opencv(); });
    weir.push_back(one.images_s);
    opencv.push_back(other.images_s);
    weir_cpu.push_back(one.cpu_ms);
    opencv_cpu.push_back(other.cpu_ms);
    ratios.push_back(one.images_s / other.images_s);
  }
  std::printf("weir: %.0f images/s, %.2f ms of CPU each\n", median(weir), median(weir_cpu));
  std::printf("OpenCV: %.0f images/s, %.2f ms of CPU each\n", median(opencv), median(opencv_cpu));
  std::printf("weir is %.2f times as fast (%.2f to %.2f in %d rounds)\n", median(ratios),
              *std::ranges::min_element(ratios), *std::ranges::max_element(ratios), rounds);
}

}  // namespace

int main(int argc, char** argv) try {
  std::string folder;
  int rounds = 0;
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--rounds" && i + 1 < argc)
      rounds = std::atoi(argv[++i]);
    else
      folder = argv[i];
  std::optional<MadeImages> made;
  if (folder.empty()) folder = made.emplace().folder();
  cv::setNumThreads(threads);
  const Images images(folder);
  auto by_weir = images.by_weir();
  auto by_opencv = images.by_opencv();
  const auto [batches, wrong] = compare(by_weir, by_opencv);
  std::printf("%zu images, %zu batches of %d: %zu floats differ\n", images.files.size(), batches,
              batch, wrong);
  if (rounds > 0) measure(images, rounds);
  if (made && !keeps_table(images, folder)) throw std::runtime_error("the table is lost");
  return batches > 0 && wrong == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
