// Gradient accumulation: one batch of 128 waits in the queue as uint8. Floats and activations exist
// for one part of it at a time. The gradients are the same, bit for bit; the memory is not.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>
#include <weir/footprint.hpp>
#include <weir/weir.hpp>

#include "dense.hpp"

namespace {

constexpr weir::ImageSize shape{32, 32};
constexpr std::uint32_t batch_size = 128;
constexpr std::size_t values = weir::image_values(shape, weir::PixelFormat::rgb8), hidden = 32,
                      classes = 10;

using Values = dense::Values<float>;

/// Linear, Swish, Linear, softmax: 3,072 values to 10 classes. Every tensor is charged to an account.
struct Network {
  weir::CountingResource memory{};
  Values weight1{values * hidden, memory.account("parameters")};
  Values bias1{hidden, memory.account("parameters")};
  Values weight2{hidden * classes, memory.account("parameters")};
  Values bias2{classes, memory.account("parameters")};
  std::pmr::memory_resource* const gradients = memory.account("gradients");
  Values weight1_gradient{gradients}, bias1_gradient{gradients};
  Values weight2_gradient{gradients}, bias2_gradient{gradients};
  // Kept for the backward pass.
  std::pmr::memory_resource* const activations = memory.account("activations");
  Values x{activations}, y{activations}, chances{activations};

  Network() {
    std::mt19937 random(7);
    dense::initialise<float>(weight1, values, random);
    dense::initialise<float>(weight2, hidden, random);
  }

  void forward(std::span<const float> images) {
    const auto rows = images.size() / values;
    x.resize(rows * hidden);
    dense::forward<float>(images, weight1, bias1, x);
    y.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * dense::sigmoid(x[i]);
    chances.resize(rows * classes);
    dense::forward<float>(y, weight2, bias2, chances);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto of = std::span(chances).subspan(row * classes, classes);
      float sum = 0;
      for (auto& chance : of) sum += chance = std::exp(chance);
      for (auto& chance : of) chance /= sum;
    }
  }

  /// The sum of the cross entropy. Replaces the probabilities by its gradient, scaled for the whole batch.
  double loss(std::span<const std::int64_t> labels) {
    double sum = 0;
    for (std::size_t row = 0; row < labels.size(); ++row) {
      const auto label = static_cast<std::size_t>(labels[row]) % classes;
      sum -= std::log(static_cast<double>(chances[row * classes + label]));
      chances[row * classes + label] -= 1;
    }
    for (auto& chance : chances) chance /= batch_size;
    return sum;
  }

  void backward(std::span<const float> images) {
    weight1_gradient.resize(weight1.size()), bias1_gradient.resize(bias1.size());
    weight2_gradient.resize(weight2.size()), bias2_gradient.resize(bias2.size());
    dense::add_gradients<float>(y, chances, weight2_gradient, bias2_gradient);
    dense::release(y);
    Values x_gradient(x.size(), memory.account("workspace"));
    dense::backward<float>(chances, weight2, classes, x_gradient);
    for (std::size_t i = 0; i < x.size(); ++i)
      x_gradient[i] *= dense::swish_slope(x[i], dense::sigmoid(x[i]));
    dense::release(x), dense::release(chances);
    dense::add_gradients<float>(images, x_gradient, weight1_gradient, bias1_gradient);
  }

  void step(float rate) {
    const auto descend = [rate](Values& weights, Values& gradient) {
      for (std::size_t k = 0; k < weights.size(); ++k)
        weights[k] -= rate * gradient[k], gradient[k] = 0;
    };
    descend(weight1, weight1_gradient), descend(bias1, bias1_gradient);
    descend(weight2, weight2_gradient), descend(bias2, bias2_gradient);
  }
};

weir::Model model_of(std::uint32_t micro_size) {
  using namespace weir::layer;
  return {.input = {values},
          .layers = {{Linear{hidden}},
                     {Activation{Function::silu}},
                     {Linear{classes}},
                     {Activation{Function::softmax}}},
          .types = {.input = weir::ElementType::u8},
          .batch = batch_size,
          .micro_batch = micro_size};
}

struct Outcome {
  std::vector<float> gradient, learned;  ///< of the first step; after all steps
  double first_loss = 0, last_loss = 0;
  std::vector<weir::StepUse> steps;
};

/// Two steps on the same 128 images, split into `micro_batches` parts.
Outcome train(std::uint32_t micro_batches) {
  weir::Loader loader(weir::synthetic(batch_size, {36, 36}), {.shape = shape,
                                                              .fit = weir::Fit::stretch,
                                                              .order = weir::Order::shuffle(),
                                                              .batch = batch_size});
  const weir::Converter<float> to_float({.mean = {0.5, 0.5, 0.5}, .stddev = {0.25, 0.25, 0.25}});
  const auto micro_size = batch_size / micro_batches;
  Network network;
  Values floats(micro_size * values,
                network.memory.account("floats"));  // the only float images in memory
  weir::MemoryProfile profile;
  profile.watch("network", network.memory);
  profile.watch("loader", loader.ledger());

  Outcome outcome;
  auto stream = loader.stream({.epochs = 2});
  for (;;) {
    profile.begin_step();
    auto data = profile.phase("data");
    auto batch = stream.next();
    data.end();
    if (!batch) break;
    double loss = 0;
    for (std::uint32_t row = 0; row < batch_size; row += micro_size) {
      auto forward = profile.phase("forward");
      to_float(batch->slice(row, micro_size), floats);
      network.forward(floats);
      forward.end();
      auto phase = profile.phase("loss");
      loss += network.loss(batch->labels().subspan(row, micro_size));
      phase.end();
      const auto backward = profile.phase("backward");
      network.backward(floats);
    }
    if (outcome.gradient.empty()) {
      const auto& gradient = network.weight1_gradient;
      outcome.gradient.assign(gradient.begin(), gradient.end());
      outcome.first_loss = loss / batch_size;
    }
    outcome.last_loss = loss / batch_size;
    const auto update = profile.phase("step");
    network.step(0.05F);
  }
  outcome.learned.assign(network.weight1.begin(), network.weight1.end());
  outcome.steps = profile.steps();
  return outcome;
}

}  // namespace

int main() {
  std::printf(
      "Linear(%zu, %zu), Swish, Linear(%zu, %zu), softmax; a batch of %u as uint8; bytes of step "
      "2\n",
      values, hidden, hidden, classes, batch_size);
  std::printf("%13s %8s %10s %12s %10s %10s %10s %6s\n", "micro-batches", "of", "floats",
              "activations", "peak", "predicted", "measured", "off");
  Outcome whole;
  bool near = true, equal = true;
  for (std::uint32_t parts = 1; parts <= 16; parts *= 2) {
    const auto outcome = train(parts);
    if (parts == 1) whole = outcome;
    const auto& step = outcome.steps.at(1);
    const auto &network = step.whole.watched[0], &loader = step["forward"].watched[1];
    const auto predicted = weir::footprint(model_of(batch_size / parts)).training.total;
    const auto measured = step["forward"].watched[0].live + loader["leased"].live;
    const auto off = static_cast<double>(measured) / static_cast<double>(predicted) - 1;
    std::printf("%13u %8u %10llu %12llu %10llu %10llu %10llu %5.2f%%\n", parts, batch_size / parts,
                static_cast<unsigned long long>(network["floats"].peak),
                static_cast<unsigned long long>(network["activations"].peak),
                static_cast<unsigned long long>(network.peak),
                static_cast<unsigned long long>(predicted),
                static_cast<unsigned long long>(measured), 100 * off);
    near &= std::abs(off) <= 0.01;
    equal &= outcome.gradient == whole.gradient && outcome.learned == whole.learned;
  }
  std::printf("gradients and the resulting weights: %s\n",
              equal ? "equal, bit for bit" : "DIFFERENT");
  std::printf("loss %.4f, after a step %.4f\n", whole.first_loss, whole.last_loss);
  const bool learns = std::isfinite(whole.last_loss) && whole.last_loss < whole.first_loss;
  return near && equal && learns ? 0 : 1;
}
