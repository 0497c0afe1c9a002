// The memory that a recomputing activation function saves: the same network with a plain Swish and
// with one that keeps only its input, side by side, phase by phase.
//   swish_memory [--width N] [--json FILE]
// After Ceshine Lee, "More Memory-Efficient Swish Activation Function" (2019), with a profile of a
// GPU. There the hidden layer is 2^19 wide and needs 5 GiB. Nearly every tensor is as wide as that
// layer, so a narrower one has the same shares.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>
#include <weir/footprint.hpp>
#include <weir/weir.hpp>

#include "swish_network.hpp"

namespace {

constexpr weir::ImageSize shape{16, 16};
constexpr std::size_t features = 16 * 16;  // the grey values of an image
constexpr double mebi = 1 << 20;

/// The input of a step: images as grey values around 0, and whether their label is odd.
struct Input {
  std::pmr::vector<float> images, targets;

  Input(const weir::Batch& batch, weir::CountingResource& memory)
      : images(batch.size() * features, memory.account("input")),
        targets(batch.size(), memory.account("targets")) {
    const auto pixels = batch.pixels().pixels;
    for (std::size_t i = 0; i < images.size(); ++i) {
      const auto sum = pixels[3 * i] + pixels[3 * i + 1] + pixels[3 * i + 2];
      images[i] = static_cast<float>(sum) / 382.5F - 1.0F;
    }
    for (std::size_t i = 0; i < targets.size(); ++i)
      targets[i] = static_cast<float>(batch.labels()[i] % 2);
  }
};

/// A network and its own accounts.
struct Subject {
  const char* name;
  Swish swish;
  weir::CountingResource memory{};
  SwishNetwork<float> network;

  Subject(const char* called, Swish kind, std::size_t width)
      : name(called), swish(kind), network(features, width, kind, memory) {}

  weir::Model model(std::size_t width, std::uint64_t batch) const {
    using namespace weir::layer;
    const auto function = swish == Swish::plain ? Function::swish : Function::silu;
    return {.input = {features},
            .layers = {{Linear{width}}, {Activation{function}}, {BatchNorm{}}, {Linear{1}}},
            .batch = batch};
  }
};

double share_saved(std::uint64_t plain, std::uint64_t recomputed) {
  return 100.0 * (1.0 - static_cast<double>(recomputed) / static_cast<double>(plain));
}

/// The largest difference between gradients, relative to the largest gradient.
double difference(const SwishNetwork<float>& a, const SwishNetwork<float>& b) {
  double most = 0, off = 0;
  for (std::size_t i = 0; i < a.gradients().size(); ++i)
    for (std::size_t k = 0; k < a.gradients()[i].size(); ++k) {
      const double x = static_cast<double>(a.gradients()[i][k]),
                   y = static_cast<double>(b.gradients()[i][k]);
      most = std::max(most, std::abs(x));
      off = std::max(off, std::abs(x - y));
    }
  return most > 0 ? off / most : INFINITY;
}

void print_phases(const std::vector<weir::StepUse>& steps) {
  std::printf("  step  phase         plain: live      peak    recomputed: live      peak\n");
  for (const auto& step : steps)
    for (const auto& phase : step.phases) {
      const auto &plain = phase.watched[0], &recomputed = phase.watched[1];
      std::printf("  %4llu  %-8s %16.2f %9.2f %19.2f %9.2f\n",
                  static_cast<unsigned long long>(step.number), phase.name.c_str(),
                  static_cast<double>(plain.live) / mebi, static_cast<double>(plain.peak) / mebi,
                  static_cast<double>(recomputed.live) / mebi,
                  static_cast<double>(recomputed.peak) / mebi);
    }
}

/// Prints the prediction of footprint() beside the measurement of the second step. True if they
/// agree within 1 %.
bool check_prediction(const Subject& subject, std::size_t width, std::uint64_t batch,
                      const weir::StepUse& step, std::size_t place) {
  const auto training = weir::footprint(subject.model(width, batch)).training;
  const auto& forward = step["forward"].watched[place];
  const std::uint64_t peak = step.whole.watched[place].peak;
  const auto near = [](std::uint64_t expected, std::uint64_t measured) {
    return std::abs(static_cast<double>(expected) - static_cast<double>(measured)) <=
           0.01 * static_cast<double>(measured);
  };
  struct Row {
    const char* what;
    std::uint64_t predicted, measured;
  };
  bool all = true;
  for (const auto& [what, predicted, measured] :
       {Row{"parameters", training.parameters, forward["parameters"].live},
        Row{"gradients", training.gradients, forward["gradients"].live},
        Row{"activations kept", training.kept, forward["activations"].live},
        Row{"input", training.input, forward["input"].live},
        Row{"in all, after forward", training.total, forward.live},
        Row{"the peak", training.peak, peak}}) {
    all &= near(predicted, measured);
    std::printf("  %-10s  %-22s predicted %11llu, measured %11llu bytes%s\n", subject.name, what,
                static_cast<unsigned long long>(predicted),
                static_cast<unsigned long long>(measured),
                near(predicted, measured) ? "" : "  MORE THAN 1 % OFF");
  }
  return all;
}

/// Two steps of both networks on the same images. True if all checks pass.
bool compare(std::uint32_t batch_size, std::size_t width, const std::string& json) {
  weir::Loader loader(weir::synthetic(2 * batch_size, {20, 20}),
                      {.shape = shape, .fit = weir::Fit::stretch, .batch = batch_size});
  Subject plain("plain", Swish::plain, width), recomputed("recomputed", Swish::recomputed, width);
  weir::MemoryProfile profile;
  profile.watch("plain", plain.memory);
  profile.watch("recomputed", recomputed.memory);
  profile.watch("loader", loader.ledger());

  bool equal = true;
  double worst = 0;
  auto stream = loader.stream();
  for (int step = 0; step < 2; ++step) {
    profile.begin_step();
    auto data = profile.phase("data");
    auto batch = stream.next();
    if (!batch) return false;
    Input a(*batch, plain.memory), b(*batch, recomputed.memory);
    batch.reset();
    data.end();

    auto forward = profile.phase("forward");
    plain.network.forward(a.images);
    recomputed.network.forward(b.images);
    forward.end();

    auto loss = profile.phase("loss");
    equal &= plain.network.loss(a.targets) == recomputed.network.loss(b.targets);
    loss.end();

    auto backward = profile.phase("backward");
    plain.network.backward();
    recomputed.network.backward();
    backward.end();
    worst = std::max(worst, difference(plain.network, recomputed.network));

    const auto update = profile.phase("step");
    plain.network.step(0.1F);
    recomputed.network.step(0.1F);
  }

  const auto steps = profile.steps();
  std::printf("\nbatch %u, MiB\n", batch_size);
  print_phases(steps);
  const auto &first = steps[0], &second = steps[1];
  const auto made = second["forward"].watched[0].live - first["forward"].watched[0].live;
  std::printf(
      "  gradients are first there after the first backward pass: the second forward pass ends "
      "%.2f MiB higher\n",
      static_cast<double>(made) / mebi);
  for (const auto& step : steps)
    std::printf(
        "  step %llu: saved %.1f %% at the peak, %.1f %% of what is live after the forward pass\n",
        static_cast<unsigned long long>(step.number),
        share_saved(step.whole.watched[0].peak, step.whole.watched[1].peak),
        share_saved(step["forward"].watched[0].live, step["forward"].watched[1].live));
  std::printf("  gradients differ by %.1e of the largest\n", worst);
  bool predicted = check_prediction(plain, width, batch_size, second, 0);
  predicted &= check_prediction(recomputed, width, batch_size, second, 1);
  if (!json.empty()) {
    std::ofstream file(json);
    profile.write_json(file);
  }
  const auto gradients = second["forward"].watched[0]["gradients"].live;
  return equal && worst <= 1e-6 && predicted && made == gradients && gradients > 0;
}

/// Compares gradients with finite differences of the loss, in double. Returns the largest
/// difference, relative to the largest gradient.
double against_differences(Swish swish) {
  weir::CountingResource memory;
  constexpr std::size_t inputs = 5, rows = 7;
  SwishNetwork<double> network(inputs, 6, swish, memory);
  std::mt19937 random(3);
  std::vector<double> images(rows * inputs), targets(rows);
  dense::initialise<double>(images, 1, random);
  for (std::size_t i = 0; i < rows; ++i) targets[i] = static_cast<double>(i % 2);
  const auto loss = [&] {
    network.forward(images);
    return network.loss(targets);
  };
  static_cast<void>(loss());
  network.backward();
  double most = 0, off = 0;
  for (std::size_t i = 0; i < network.parameters().size(); ++i)
    for (std::size_t k = 0; k < network.parameters()[i].size(); ++k) {
      constexpr double h = 1e-5;
      auto& parameter = network.parameters()[i][k];
      const double kept = parameter;
      parameter = kept + h;
      const double above = loss();
      parameter = kept - h;
      const double below = loss();
      parameter = kept;
      const double gradient = network.gradients()[i][k];
      most = std::max(most, std::abs(gradient));
      off = std::max(off, std::abs(gradient - (above - below) / (2 * h)));
    }
  return off / most;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t width = 4096;
  std::string json;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    if (word == "--width" && i + 1 < argc) {
      width = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--json" && i + 1 < argc) {
      json = argv[++i];
    } else {
      width = 0;
    }
  }
  if (width == 0) {
    std::fprintf(stderr, "usage: %s [--width N] [--json FILE]\n", argv[0]);
    return 2;
  }
  std::printf("Linear(%zu, %zu), Swish, BatchNorm1d, Linear(%zu, 1); float32, SGD\n", features,
              width, width);
  const double off =
      std::max(against_differences(Swish::plain), against_differences(Swish::recomputed));
  std::printf("gradients and finite differences (float64) differ by %.1e of the largest\n", off);
  bool good = off <= 1e-6;
  good &= compare(128, width, "");
  good &= compare(512, width, json);
  std::printf("\npublished: about 20 %% at batch 512, live memory after a phase\n");
  return good ? 0 : 1;
}
