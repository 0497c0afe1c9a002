#include "weir/interop/opencv.hpp"

#include <mutex>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <thread>

#include "contract/interop/scene.hpp"

using namespace weir;
using namespace weir::test;

namespace {

std::vector<Drop> drops_of(const std::shared_ptr<std::vector<cv::Mat>>& mats) {
  std::vector<Drop> drops;
  for (std::size_t i = 0; i < mats->size(); ++i)
    drops.emplace_back([mats, i] { (*mats)[i].release(); });
  return drops;
}

}  // namespace

TEST_CASE("a Mat of an image is a view of its pixels", "[interop]") {
  Scene scene;
  const auto image = scene.lease->image(2);
  const auto mat = as_mat(image);
  CHECK(mat.data == scene.row(2));
  CHECK(mat.type() == CV_8UC3);
  CHECK(mat.rows == 16);
  CHECK(mat.cols == 16);
  CHECK(mat.isContinuous());
  CHECK(mat.at<cv::Vec3b>(3, 5)[1] == scene.pixels[2 * scene.image_bytes() + (3 * 16 + 5) * 3 + 1]);
  CHECK(scene.lease.use_count() == 1);
}

TEST_CASE("a batch as Mats lies in the slab, and each shares the lease", "[interop]") {
  Scene scene;
  const auto mats = as_mats(scene.lease);
  REQUIRE(mats.size() == 4);
  for (std::uint32_t i = 0; i < 4; ++i) CHECK(mats[i].data == scene.row(i));
  CHECK(scene.lease.use_count() == 5);
  const cv::Mat copy = mats[1], part = mats[1](cv::Rect(2, 2, 4, 4));
  CHECK(part.data == scene.row(1) + (2 * 16 + 2) * 3);
  CHECK(scene.lease.use_count() == 5);
}

TEST_CASE("the slab is idle after Mats die in any order", "[interop]") {
  drop_in_every_order("cv::Mat", [](Scene& scene) {
    // Two views show the same as four, and 120 orders are enough.
    auto mats = std::make_shared<std::vector<cv::Mat>>(as_mats(scene.lease));
    mats->resize(2);
    return drops_of(mats);
  });
  drop_in_every_order("cv::Mat", [](Scene& scene) {
    auto mats = std::make_shared<std::vector<cv::Mat>>(as_mats(scene.lease));
    mats->resize(1);
    mats->push_back(as_mats(scene.lease, scene.second_block())[3]);
    return drops_of(mats);
  });
}

TEST_CASE("second images are Mats beside the pixels and share the lease", "[interop]") {
  Scene scene;
  auto mats = as_mats(scene.lease, scene.second_block());
  REQUIRE(mats.size() == 4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    CHECK(mats[i].data == scene.second_row(i));
    CHECK(mats[i].type() == CV_8UC3);
    CHECK(mats[i].rows == 8);
    CHECK(mats[i].cols == 12);
    CHECK(mats[i].isContinuous());
  }
  CHECK(scene.lease.use_count() == 5);
  scene.lease.reset();
  CHECK(scene.leased() == scene.slab_bytes);
  mats.clear();
  CHECK(scene.leased() == 0);
}

TEST_CASE("a Mat has the type of its format", "[interop]") {
  Scene scene;
  const auto blocks = scene.blocks_of_each_type();
  const int types[] = {CV_8UC3, CV_8UC4, CV_8UC1, CV_16UC1, CV_16UC3};
  REQUIRE(blocks.size() == std::size(types));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto& block = blocks[i];
    CAPTURE(to_string(block.format));
    const auto last = as_mats(scene.lease, block).at(3);
    CHECK(last.type() == types[i]);
    CHECK(last.data == scene.second_row(3));
    const int values = last.cols * last.channels();
    CHECK(static_cast<std::uint64_t>(values) * block.shape.height == block.values());
    if (last.depth() == CV_16U) {
      const auto line = block.image(3).line_as<std::uint16_t>(block.shape.height - 1);
      CHECK(last.ptr<std::uint16_t>(last.rows - 1)[values - 1] == line.back());
    } else {
      CHECK(last.ptr(last.rows - 1)[values - 1] == scene.second_pixels.back());
    }
    // OpenCV's own sum over its values is that of the block.
    double sum = 0;
    for (std::uint32_t y = 0; y < block.shape.height; ++y) {
      const auto add = [&](const auto& line) {
        sum = std::accumulate(line.begin(), line.end(), sum);
      };
      if (last.depth() == CV_16U)
        add(block.image(3).line_as<std::uint16_t>(y));
      else
        add(block.image(3).line_as<std::uint8_t>(y));
    }
    const auto sums = cv::sum(last);
    CHECK(sums[0] + sums[1] + sums[2] + sums[3] == sum);
  }
  auto one = as_mat(scene.lease, blocks[3].image(1));
  CHECK(one.data == scene.second_row(1));
  CHECK(scene.lease.use_count() == 2);
  one.release();
  CHECK(scene.lease.use_count() == 1);
}

TEST_CASE("a transform writes the row of the batch in place by OpenCV", "[interop]") {
  const auto images = synthetic(18, {24, 30}, 3);
  auto options = small_options();
  std::mutex mutex;
  std::vector<cv::Mat> wanted(18);
  std::uint64_t moved = 0;
  options.transform.apply = [&](DecodedSample& sample) {
    const auto image = as_mat(sample.image);
    auto row = as_mat(sample.row);
    cv::resize(image, row, row.size(), 0, 0, cv::INTER_LINEAR);
    cv::Mat elsewhere;
    cv::resize(image, elsewhere, cv::Size(16, 16), 0, 0, cv::INTER_LINEAR);
    const std::lock_guard lock(mutex);
    wanted.at(sample.index) = elsewhere;
    if (row.data != sample.row.data) ++moved;
  };
  auto by_weir = small_options();
  by_weir.fit = Fit::stretch;
  Loader loader(images, options), other(images, by_weir);
  const auto got = drain(loader);
  CHECK(moved == 0);
  CHECK(got.pixels == drain(other).pixels);  // weir resamples like OpenCV
  REQUIRE(got.indices.size() == 18);
  const auto bytes = image_bytes({16, 16}, PixelFormat::rgb8);
  for (std::size_t i = 0; i < 18; ++i) {
    const auto& image = wanted[got.indices[i]];
    REQUIRE(image.isContinuous());
    CHECK(std::equal(image.data, image.data + bytes, got.pixels.data() + i * bytes));
  }
}

TEST_CASE("OpenCV refuses to write another size into a row's const Mat", "[interop]") {
  auto options = small_options();
  options.transform.apply = [](DecodedSample& sample) {
    const cv::Mat row = as_mat(sample.row);
    cv::resize(as_mat(sample.image), row, cv::Size(15, 16));
  };
  Loader loader(synthetic(4, {24, 24}, 3), options);
  auto stream = loader.stream();
  CHECK_THROWS_AS(stream.next(), cv::Exception);
}

TEST_CASE("own-size images are Mats of their sizes, padded and ragged", "[interop][sizes]") {
  for (const auto mode : {Sizes::padded, Sizes::ragged}) {
    const auto lease = lease_of_own_sizes(mode);
    const auto mats = as_mats(lease);
    REQUIRE(mats.size() == 4);
    for (std::uint32_t i = 0; i < 4; ++i) {
      const auto image = lease->image(i);
      CHECK(mats[i].rows == static_cast<int>(lease->sizes()[i].height));
      CHECK(mats[i].cols == static_cast<int>(lease->sizes()[i].width));
      CHECK(mats[i].data == image.data);
      CHECK(mats[i].step[0] == image.row_stride);
      CHECK(mats[i].isContinuous() ==
            (image.row_stride == std::size_t{3} * lease->sizes()[i].width));
    }
  }
}

TEST_CASE("copies and parts of a Mat keep the lease, clones do not", "[interop]") {
  Scene scene;
  auto mats = as_mats(scene.lease);
  scene.lease.reset();
  const cv::Mat clone = mats[3].clone();
  cv::Mat part = mats[3].rowRange(4, 8);
  cv::Mat written;
  mats[0].copyTo(written);
  mats.clear();
  CHECK(scene.leased() == scene.slab_bytes);
  CHECK(part.data == scene.row(3) + 4 * 16 * 3);
  CHECK(part.at<cv::Vec3b>(0, 0)[0] == scene.pixels[3 * scene.image_bytes() + 4 * 16 * 3]);
  part.release();
  CHECK(scene.leased() == 0);
  scene.stream.reset();
  scene.loader.reset();
  CHECK(clone.at<cv::Vec3b>(0, 0)[0] == scene.pixels[3 * scene.image_bytes()]);
  CHECK(written.at<cv::Vec3b>(0, 0)[2] == scene.pixels[2]);
}

TEST_CASE("a Mat made anew gives up its lease and takes OpenCV's memory", "[interop]") {
  Scene scene;
  auto mats = as_mats(std::move(scene.lease));
  mats.resize(1);
  mats[0].create(40, 40, CV_32F);
  CHECK(scene.leased() == 0);
  mats[0] = cv::Scalar(1);
}

TEST_CASE("Mats may die on other threads", "[interop]") {
  Scene scene;
  auto mats = as_mats(scene.lease);
  scene.lease.reset();
  {
    std::vector<std::jthread> threads;
    for (auto& mat : mats) threads.emplace_back([&mat] { mat.release(); });
  }
  CHECK(scene.leased() == 0);
  CHECK(scene.stream->next());
}

TEST_CASE("a batch given away is leased until its Mats die", "[interop]") {
  Scene scene;
  scene.lease.reset();
  auto next = scene.stream->next();
  const auto* const where = next->pixels().pixels.data();
  auto mats = as_mats(*std::move(next));
  CHECK(mats[0].data == where);
  CHECK(scene.leased() == scene.slab_bytes);
  mats.clear();
  CHECK(scene.leased() == 0);
}
