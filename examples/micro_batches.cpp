// Gradient accumulation: one batch of 128 in the queue as uint8, floats for 16 images at a time.
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>
#include <weir/weir.hpp>

namespace {

constexpr weir::Shape shape{64, 64};
constexpr std::uint32_t batch_size = 128, micro_size = 16;
constexpr std::size_t values = shape.values();

/// One linear unit that learns to tell even labels from odd ones, by squared error.
struct Unit {
  std::vector<float> weights = std::vector<float>(values);

  double accumulate(std::span<const float> images, std::span<const std::int64_t> labels,
                    std::vector<float>& gradient) const {
    double loss = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto image = images.subspan(i * values, values);
      float output = 0;
      for (std::size_t k = 0; k < values; ++k) output += weights[k] * image[k];
      const float error = output - static_cast<float>(labels[i] % 2);
      for (std::size_t k = 0; k < values; ++k) gradient[k] += error * image[k];
      loss += static_cast<double>(error) * static_cast<double>(error);
    }
    return loss;
  }
  void descend(const std::vector<float>& gradient, float rate) {
    for (std::size_t k = 0; k < values; ++k) weights[k] -= rate * gradient[k];
  }
};

}  // namespace

int main() {
  weir::Loader loader(
      weir::synthetic(512, {72, 72}),
      {.shape = shape, .fit = weir::Fit::stretch, .shuffle = true, .batch = batch_size});
  const weir::Converter<float> to_float({.mean = {0.5, 0.5, 0.5}, .stddev = {0.25, 0.25, 0.25}});
  std::vector<float> floats(micro_size * values);  // the only floats there are
  Unit unit;

  auto stream = loader.stream({.epochs = 4});
  double first = 0, last = 0;
  while (auto batch = stream.next()) {
    std::vector<float> gradient(values);
    double loss = 0;
    for (std::uint32_t row = 0; row < batch->size(); row += micro_size) {
      const auto count = std::min(micro_size, batch->size() - row);
      const auto part = std::span(floats).first(count * values);
      to_float(batch->slice(row, count), part);
      loss += unit.accumulate(part, batch->labels().subspan(row, count), gradient);
    }
    unit.descend(gradient, 0.2F / (static_cast<float>(values) * static_cast<float>(batch->size())));
    last = loss / batch->size();
    if (batch->sequence() == 0) first = last;
    std::printf("batch %2llu: loss %.4f\n", static_cast<unsigned long long>(batch->sequence()),
                last);
  }
  std::printf("float memory: %zu bytes for micro-batches of %u, %zu for whole batches\n",
              floats.size() * sizeof(float), micro_size, batch_size * values * sizeof(float));
  return std::isfinite(last) && last < first ? 0 : 1;
}
