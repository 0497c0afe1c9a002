// A rare class as often as a common one: a weight for each sample.
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

namespace {

/// One image in ten has class 1. A data set of your own has a list of labels.
std::int64_t label_of(std::uint64_t i) { return i % 10 == 9 ? 1 : 0; }

/// Labels for images that have others.
class Labelled {
 public:
  explicit Labelled(weir::AnySource images) : images_(std::move(images)) {}
  std::uint64_t size() const { return images_.size(); }
  std::uint64_t index_bytes() const { return images_.index_bytes(); }
  std::string name(std::uint64_t i) const { return images_.name(i); }
  weir::Encoded read(std::uint64_t i, weir::ByteSink& sink) const {
    auto image = images_.read(i, sink);
    image.label = label_of(i);
    return image;
  }

 private:
  weir::AnySource images_;
};

std::array<std::uint64_t, 2> images_of_class(weir::Loader& loader) {
  std::array<std::uint64_t, 2> count{};
  for (weir::Batch& batch : loader.stream())
    for (const auto label : batch.labels()) ++count.at(static_cast<std::size_t>(label));
  return count;
}

}  // namespace

int main() try {
  const weir::AnySource images = Labelled(weir::synthetic(400, {32, 32}));
  std::array<double, 2> images_with{};
  for (std::uint64_t i = 0; i < images.size(); ++i)
    ++images_with.at(static_cast<std::size_t>(label_of(i)));
  // The weight of a sample is 1 / the number of images in its class.
  std::vector<double> weights;
  for (std::uint64_t i = 0; i < images.size(); ++i)
    weights.push_back(1 / images_with.at(static_cast<std::size_t>(label_of(i))));

  weir::Loader plain(images, {.shape = {32, 32}, .order = weir::Order::shuffle()});
  weir::Loader balanced(images, {.shape = {32, 32}, .order = weir::Order::weighted(weights)});
  const auto before = images_of_class(plain), after = images_of_class(balanced);
  std::printf("class 1: %llu of 400 images by shuffle, %llu of 400 by weights\n",
              static_cast<unsigned long long>(before[1]),
              static_cast<unsigned long long>(after[1]));
  // 400 fair coins: within 160 to 240 but for one seed in ten thousand.
  return before[1] == 40 && after[1] >= 160 && after[1] <= 240 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
