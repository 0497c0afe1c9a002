#include <numeric>

#include "models.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// The footprint of `layer` for one image of `input`.
LayerFootprint of(Layer layer, Dims input) {
  Model model;
  model.input = std::move(input);
  model.layers.push_back(std::move(layer));
  return footprint(model).layers.front();
}

/// The same by moving a window along one side and counting positions.
std::uint64_t windows(std::uint64_t in, std::uint64_t kernel, std::uint64_t stride,
                      std::uint64_t padding, std::uint64_t dilation, bool ceil_mode) {
  const auto span = dilation * (kernel - 1) + 1, padded = in + 2 * padding;
  std::uint64_t count = 0, start = 0;
  for (; start + span <= padded; start += stride) ++count;
  const bool covered = start - stride + span == padded;
  if (ceil_mode && !covered && start < in + padding) ++count;
  return count;
}

}  // namespace

TEST_CASE("output sides of layers equal those of a moving window", "[footprint]") {
  int checked = 0;
  for (std::uint64_t in = 1; in <= 12; ++in)
    for (std::uint64_t kernel = 1; kernel <= 5; ++kernel)
      for (std::uint64_t stride = 1; stride <= 4; ++stride)
        for (std::uint64_t padding = 0; padding <= kernel / 2; ++padding)
          for (std::uint64_t dilation = 1; dilation <= 2; ++dilation) {
            if (in + 2 * padding < dilation * (kernel - 1) + 1) continue;
            CAPTURE(in, kernel, stride, padding, dilation);
            const Extent k{kernel, 1}, s{stride, 1}, p{padding, 0}, d{dilation, 1};
            const auto conv = of({layer::Conv2d{2, k, s, p, d}}, {3, in, 1});
            CHECK(conv.output == Dims{2, windows(in, kernel, stride, padding, dilation, false), 1});
            for (const bool ceil : {false, true}) {
              const auto pool = of({layer::MaxPool2d{k, s, p, d, ceil}}, {3, in, 1});
              CHECK(pool.output ==
                    Dims{3, windows(in, kernel, stride, padding, dilation, ceil), 1});
            }
            ++checked;
          }
  CHECK(checked > 500);
}

TEST_CASE("parameters are counted as each kind of layer has them", "[footprint]") {
  const Dims image{6, 9, 9};
  CHECK(of({layer::Conv2d{.out_channels = 4, .kernel = {3, 5}}}, image).parameters ==
        4 * 6 * 15 + 4);
  CHECK(of({layer::Conv2d{.out_channels = 4, .kernel = {3, 5}, .groups = 2, .bias = false}}, image)
            .parameters == 4 * 3 * 15);
  CHECK(of({layer::Linear{.out_features = 4}}, {6}).parameters == 28);
  CHECK(of({layer::Linear{.out_features = 4, .bias = false}}, {6}).parameters == 24);
  CHECK(of({layer::BatchNorm{}}, image).parameters == 12);
  CHECK(of({layer::BatchNorm{}}, image).buffers == 12);
  CHECK(of({layer::BatchNorm{false, false}}, image).parameters == 0);
  CHECK(of({layer::BatchNorm{false, false}}, image).buffers == 0);
  CHECK(of({layer::GroupNorm{.groups = 3}}, image).parameters == 12);
  CHECK(of({layer::GlobalAvgPool{}}, image).output == Dims{6, 1, 1});
  CHECK(of({layer::Flatten{}}, image).output == Dims{486});
  CHECK(of({layer::Flatten{}}, image).activations == 0);
  CHECK(of({layer::AvgPool2d{.kernel = {2, 2}}}, image).output == Dims{6, 4, 4});
}

TEST_CASE("VGG-16 has 138,357,544 parameters, layer by layer", "[footprint]") {
  Model model;
  model.input = {3, 224, 224};
  for (const auto channels :
       {64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0})
    model.layers.push_back(channels == 0 ? Layer{layer::MaxPool2d{.kernel = {2, 2}}}
                                         : conv3(static_cast<std::uint64_t>(channels)));
  model.layers.push_back({layer::Flatten{}});
  for (const auto features : {4096u, 4096u, 1000u}) model.layers.push_back(linear(features));
  const auto print = footprint(model);
  CHECK(print.parameters == 138'357'544);
  const std::uint64_t by_layer[] = {
      1'792,     36'928, 0,         73'856,      147'584,    0,        295'168,   590'080,
      590'080,   0,      1'180'160, 2'359'808,   2'359'808,  0,        2'359'808, 2'359'808,
      2'359'808, 0,      0,         102'764'544, 16'781'312, 4'097'000};
  REQUIRE(print.layers.size() == std::size(by_layer));
  for (std::size_t i = 0; i < std::size(by_layer); ++i) {
    CAPTURE(i);
    CHECK(print.layers[i].parameters == by_layer[i]);
  }
}

TEST_CASE("what layers keep of their own: indices, masks, statistics", "[footprint]") {
  const auto kept = [](std::vector<Layer> layers) {
    Model model;
    model.input = {2, 4, 4};
    model.layers = std::move(layers);
    model.batch = 10;
    return footprint(model).layers.back().kept_bytes;
  };
  const auto image = std::uint64_t{10} * 2 * 16 * 4;
  CHECK(kept({conv3(2)}) == image);
  CHECK(kept({conv3(2), {layer::MaxPool2d{.kernel = {2, 2}}}}) == 10 * 2 * 4 * (4 + 8));
  CHECK(kept({conv3(2), {layer::Dropout{}}}) == image + 10 * 2 * 16);
  CHECK(kept({conv3(2), {layer::Dropout{.in_place = true}}}) == image);  // the mask alone
  CHECK(kept({conv3(2), {layer::BatchNorm{}}}) == image + 2 * 2 * 4);
  CHECK(kept({conv3(2), {layer::GroupNorm{.groups = 2}}}) == image + 10 * 2 * 2 * 4);
}
