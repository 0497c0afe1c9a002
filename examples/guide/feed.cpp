// docs/guide/feed-a-trainer.md: epochs, micro-batches, progress and results.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>
#include <weir/weir.hpp>

namespace {

/// Takes the place of a network: computes the mean of its input, by label.
class Network {
 public:
  explicit Network(std::size_t classes) : sums_(classes), values_(classes) {}
  void learn(std::span<const float> images, std::span<const std::int64_t> labels) {
    const auto size = images.size() / labels.size();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto label = static_cast<std::size_t>(labels[i]);
      for (const float value : images.subspan(i * size, size)) sums_.at(label) += value;
      values_.at(label) += size;
    }
  }
  void step() { ++steps_; }
  void print() const {
    for (std::size_t label = 0; label < sums_.size(); ++label)
      std::printf("class %zu: %.3f\n", label, sums_[label] / static_cast<double>(values_[label]));
    std::printf("%d steps\n", steps_);
  }

 private:
  std::vector<double> sums_;
  std::vector<std::uint64_t> values_;
  int steps_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  weir::Loader loader(
      argc > 1 ? weir::image_folder(argv[1]) : weir::synthetic(200, {120, 160}),
      {.shape = {64, 64}, .fit = weir::Fit::random, .order = weir::Order::shuffle(), .batch = 48});
  const auto classes = std::max<std::size_t>(10, loader.class_names().size());
  Network network(classes);

  const weir::Converter<float> to_float(weir::imagenet);
  constexpr std::uint32_t at_once = 16;
  std::vector<float> input(at_once * loader.plan().row_values());

  weir::Stream stream = loader.stream({.epochs = 2});
  for (weir::Batch& batch : stream) {
    for (std::uint32_t first = 0; first < batch.size(); first += at_once) {
      const auto rows = std::min(at_once, batch.size() - first);
      const auto block = batch.slice(first, rows);
      const auto values = std::span(input).first(block.pixels.size());
      to_float(block, values);
      network.learn(values, batch.labels().subspan(first, rows));
    }
    network.step();
  }

  const weir::Report report = loader.report();
  network.print();
  std::printf("%.0f images a second; %.0f %% of steps found a batch ready\n",
              report.throughput.samples_per_s, 100 * report.queue.data_readiness);
  return report.samples.consumed == 2 * loader.size() ? 0 : 1;
}
