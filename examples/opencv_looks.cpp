// OpenCV as the consumer: a classifier by colour, on matrices that are views of the slab.
//   opencv_looks [TRAIN TEST] [--sheet FILE.ppm] [--at-least PERCENT]
// A class is the mean of its images' colour histograms. An image gets the class with the nearest histogram.
// The sheet shows images with a wrong result, with a frame in the colour of the predicted class.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>
#include <weir/interop/opencv.hpp>
#include <weir/weir.hpp>

namespace {

constexpr weir::ImageSize shape{32, 32};

/// Shuffled, so that the sheet shows images of every class.
weir::Options options() {
  return {.shape = shape, .fit = weir::Fit::stretch, .order = weir::Order::shuffle(), .batch = 100};
}

/// A custom step on weir's workers: OpenCV crops nine tenths of the image into the row of the batch
/// and flips half of the images.
void crop_and_flip(weir::DecodedSample& sample) {
  const cv::Mat image = weir::as_mat(sample.image);
  const cv::Mat row = weir::as_mat(sample.row);  // a view: writing to it fills the batch
  const cv::Size part = image.size() * 9 / 10, rest = image.size() - part;
  const cv::Point corner(static_cast<int>(sample.random.uniform(0, rest.width + 1)),
                         static_cast<int>(sample.random.uniform(0, rest.height + 1)));
  cv::resize(image(cv::Rect(corner, part)), row, row.size());
  if (sample.random.below(2) == 1) cv::flip(row, row, 1);
}

/// The frequency of each colour: 12 hues, 4 saturations, 4 brightnesses. The sum is 1.
cv::Mat histogram(const cv::Mat& rgb) {
  cv::Mat hsv, counts;
  cv::cvtColor(rgb, hsv, cv::COLOR_RGB2HSV);
  const std::array channels{0, 1, 2}, bins{12, 4, 4};
  const std::array<float, 2> hues{0, 180}, others{0, 256};
  const std::array ranges{hues.data(), others.data(), others.data()};
  cv::calcHist(&hsv, 1, channels.data(), cv::Mat(), counts, 3, bins.data(),
               const_cast<const float**>(ranges.data()));
  return counts / static_cast<double>(rgb.total());
}

/// The mean histogram of each class.
class NearestClass {
 public:
  explicit NearestClass(std::size_t classes) : means_(classes), seen_(classes) {}

  void learn(const cv::Mat& rgb, std::size_t label) {
    auto& mean = means_.at(label);
    const auto counts = histogram(rgb);
    if (mean.empty()) mean = cv::Mat::zeros(counts.dims, counts.size.p, CV_32F);
    // A running mean: only the means are kept.
    const double seen = seen_[label];
    cv::addWeighted(mean, seen / (seen + 1), counts, 1 / (seen + 1), 0, mean);
    ++seen_[label];
  }
  std::size_t classify(const cv::Mat& rgb) const {
    const auto counts = histogram(rgb);
    std::size_t best = 0;
    double least = 2;
    for (std::size_t c = 0; c < means_.size(); ++c) {
      if (means_[c].empty()) continue;
      const double distance = cv::compareHist(counts, means_[c], cv::HISTCMP_HELLINGER);
      if (distance < least) best = c, least = distance;
    }
    return best;
  }

 private:
  std::vector<cv::Mat> means_;
  std::vector<std::uint32_t> seen_;
};

cv::Scalar colour_of(std::size_t label, std::size_t classes) {
  cv::Mat hsv(
      1, 1, CV_8UC3,
      cv::Scalar(180.0 * static_cast<double>(label) / static_cast<double>(classes), 220, 230));
  cv::cvtColor(hsv, hsv, cv::COLOR_HSV2RGB);
  const auto rgb = hsv.at<cv::Vec3b>(0, 0);
  return {double(rgb[0]), double(rgb[1]), double(rgb[2])};
}

/// Images side by side at twice their size.
class Sheet {
 public:
  static constexpr int columns = 12, rows = 8, cell = 2 * 32 + 12;
  static constexpr int width = columns * cell, height = rows * cell;

  bool full() const { return used_ == columns * rows; }
  void add(const cv::Mat& rgb, const cv::Scalar& frame) {
    const cv::Rect place(used_ % columns * cell, used_ / columns * cell, cell, cell);
    ++used_;
    cv::Mat large;
    cv::resize(rgb, large, {}, 2, 2, cv::INTER_NEAREST);
    cv::copyMakeBorder(large, large, 4, 4, 4, 4, cv::BORDER_CONSTANT, frame);
    cv::copyMakeBorder(large, large, 2, 2, 2, 2, cv::BORDER_CONSTANT, cv::Scalar::all(255));
    large.copyTo(pixels_(place));
  }
  /// PPM stores RGB in this layout, so no codec is needed.
  void write(const std::string& path) const {
    std::ofstream out(path, std::ios::binary);
    out << "P6\n" << pixels_.cols << ' ' << pixels_.rows << "\n255\n";
    out.write(reinterpret_cast<const char*>(pixels_.data),
              static_cast<std::streamsize>(pixels_.total() * pixels_.elemSize()));
    if (!out.flush()) throw std::runtime_error("cannot write " + path);
  }

 private:
  cv::Mat pixels_ = cv::Mat(height, width, CV_8UC3, cv::Scalar::all(255));
  int used_ = 0;
};

struct Words {
  std::vector<std::string> folders;
  std::string sheet;
  double at_least = 0;
};

Words parse(int argc, char** argv) {
  Words words;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    if (word == "--sheet" && i + 1 < argc) {
      words.sheet = argv[++i];
    } else if (word == "--at-least" && i + 1 < argc) {
      words.at_least = std::strtod(argv[++i], nullptr);
    } else {
      words.folders.emplace_back(word);
    }
  }
  return words;
}

/// The share of correct predictions, in percent.
double judge(weir::Loader& loader, const NearestClass& model, Sheet& wrong) {
  const auto names = loader.class_names();
  std::vector<std::uint64_t> right(names.size()), seen(names.size());
  auto stream = loader.stream();
  while (auto batch = stream.next()) {
    const auto lease = weir::share(std::move(*batch));
    // Each matrix is a view of the slab and keeps its lease. The sheet copies the pixels that it shows.
    const auto mats = weir::as_mats(lease);
    for (std::size_t i = 0; i < mats.size(); ++i) {
      const auto label = static_cast<std::size_t>(lease->labels()[i]);
      const auto taken_for = model.classify(mats[i]);
      ++seen[label];
      right[label] += taken_for == label;
      if (taken_for != label && !wrong.full())
        wrong.add(mats[i], colour_of(taken_for, names.size()));
    }
  }
  double total = 0;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const auto frame = colour_of(c, names.size());
    std::printf("%-17s %4llu of %4llu, frame #%02x%02x%02x\n", names[c].c_str(),
                static_cast<unsigned long long>(right[c]), static_cast<unsigned long long>(seen[c]),
                static_cast<unsigned>(frame[0]), static_cast<unsigned>(frame[1]),
                static_cast<unsigned>(frame[2]));
    total += static_cast<double>(right[c]);
  }
  return 100 * total / static_cast<double>(loader.size());
}

}  // namespace

int main(int argc, char** argv) try {
  const auto words = parse(argc, argv);
  if (!words.folders.empty() && words.folders.size() != 2) {
    std::fprintf(stderr, "usage: %s [TRAIN TEST] [--sheet FILE.ppm] [--at-least PERCENT]\n",
                 argv[0]);
    return 2;
  }
  const bool real = !words.folders.empty();
  auto augmented = options();
  augmented.transform.apply = crop_and_flip;
  weir::Loader training(
      real ? weir::image_folder(words.folders[0]) : weir::synthetic(600, {36, 36}, 1), augmented);
  weir::Loader testing(
      real ? weir::image_folder(words.folders[1]) : weir::synthetic(300, {36, 36}, 2), options());
  if (training.class_names() != testing.class_names() || training.class_names().empty()) {
    std::fprintf(stderr, "TRAIN and TEST must hold the same class folders\n");
    return 2;
  }
  cv::setNumThreads(1);  // the images are small, and weir's workers use the cores

  NearestClass model(training.class_names().size());
  for (weir::Batch& batch : training.stream())
    for (std::uint32_t i = 0; i < batch.size(); ++i)
      model.learn(weir::as_mat(batch.image(i)), static_cast<std::size_t>(batch.labels()[i]));

  Sheet wrong;
  const double reached = judge(testing, model, wrong);
  std::printf("correct: %.1f %% (chance: %.1f %%)\n", reached,
              100.0 / static_cast<double>(training.class_names().size()));
  if (!words.sheet.empty()) wrong.write(words.sheet);
  const bool returned = testing.snapshot().leased == 0;
  return reached >= words.at_least && returned ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
