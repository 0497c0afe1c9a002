// A small ResNet trained on images, with batches from weir or from libtorch's own DataLoader. See README.md.
#include <torch/nn.h>
#include <torch/utils.h>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "images.hpp"
#include "libtorch_feed.hpp"
#include "options.hpp"
#include "outcome.hpp"
#include "process_memory.hpp"
#include "training.hpp"
#include "weir_feed.hpp"

namespace {

using namespace trainer;
using Clock = std::chrono::steady_clock;
using Shuffled = LibtorchFeed<torch::data::samplers::RandomSampler>;
using InOrder = LibtorchFeed<torch::data::samplers::SequentialSampler>;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The two folders. The destructor removes synthetic ones.
class Data {
 public:
  explicit Data(Options& options) {
    if (options.train.empty()) {
      made_ =
          std::filesystem::temp_directory_path() / ("weir-resnet-" + std::to_string(::getpid()));
      const auto side = static_cast<std::uint32_t>(options.side + options.side / 8);
      weir::bench::write_images(weir::synthetic(500, {side, side}, 1), made_ / "train");
      weir::bench::write_images(weir::synthetic(200, {side, side}, 2), made_ / "test");
      options.train = made_ / "train";
      options.test = made_ / "test";
    }
    classes = weir::image_folder(options.train).class_names();
    if (classes.empty() || classes != weir::image_folder(options.test).class_names())
      throw std::runtime_error("TRAIN and TEST must hold the same class folders");
  }
  ~Data() {
    std::error_code ignored;
    if (!made_.empty()) std::filesystem::remove_all(made_, ignored);
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  std::vector<std::string> classes;

 private:
  std::filesystem::path made_;
};

Trainer make_trainer(const Options& options, std::size_t classes) {
  torch::manual_seed(options.seed);
  const CountAs counted("parameters");
  return {
      ResNet(options.width, options.blocks, static_cast<std::int64_t>(classes), options.side > 64),
      options.learning_rate};
}

/// Compares gradients of the first batch in micro-batches and as a whole, in float64.
double check_gradients(const Options& options, Trainer& trainer, std::size_t classes) {
  WeirFeed feed(weir::image_folder(options.train), options, true, 1);
  ResNet exact(options.width, options.blocks, static_cast<std::int64_t>(classes),
               options.side > 64);
  exact->to(torch::kFloat64);
  const torch::NoGradGuard for_copies;
  for (std::size_t i = 0; i < exact->parameters().size(); ++i)
    exact->parameters()[i].copy_(trainer.model->parameters()[i]);
  double error = std::numeric_limits<double>::infinity();  // until it has been compared
  feed.one(
      [&](const auto& batch) {
        const torch::AutoGradMode with_gradients(true);
        error = gradient_error(exact, ExactBatch(batch, options.micro_batch), options.micro_batch);
      },
      [] {});
  return error;
}

struct Trained {
  LossCurve curve;
  double seconds = 0, accuracy = 0, sum = 0;
  std::string confusion;
};

template <class Training, class MakeTesting>
Trained run(const Options& options, Trainer& trainer, const std::vector<std::string>& classes,
            Training& training, MakeTesting make_testing, Clock::time_point start,
            weir::MemoryProfile* profile) {
  Trained trained;
  auto& losses = trained.curve.losses;
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    const auto before = losses.size();
    // The learning rate decreases linearly to 0.
    const auto share = static_cast<double>(epoch) / static_cast<double>(options.epochs);
    for (auto& group : trainer.optimizer.param_groups())
      static_cast<torch::optim::SGDOptions&>(group.options())
          .lr(options.learning_rate * (1 - share));
    training.epoch([&](const auto& batch) {
      losses.push_back(trainer.step(batch, options.micro_batch, profile));
    });
    trained.curve.steps_per_epoch = losses.size() - before;
    double sum = 0;
    for (auto i = before; i < losses.size(); ++i) sum += losses[i];
    if (!options.measure)
      std::printf("epoch %2lld  loss %.4f\n", static_cast<long long>(epoch + 1),
                  sum / static_cast<double>(losses.size() - before));
  }
  trained.seconds = seconds_since(start);
  auto testing = make_testing();
  const auto confusion = evaluate(trainer.model, *testing, classes.size(), trained.sum);
  trained.accuracy = confusion.accuracy();
  trained.confusion = confusion.text(classes);
  return trained;
}

/// Accuracy, and the time from before the loader is made to the last step.
Trained train(const Options& options, Trainer& trainer, const std::vector<std::string>& classes,
              weir::MemoryProfile* profile, const std::shared_ptr<weir::MemoryLedger>& ledger) {
  const auto start = Clock::now();
  if (options.by_weir) {
    const auto epochs = static_cast<std::uint64_t>(options.epochs);
    WeirFeed training(weir::image_folder(options.train), options, true, epochs, ledger);
    const auto make_testing = [&] {
      return std::make_unique<WeirFeed>(weir::image_folder(options.test), options, false, 1,
                                        ledger);
    };
    return run(options, trainer, classes, training, make_testing, start, profile);
  }
  Shuffled training(options.train, options);
  const auto make_testing = [&] { return std::make_unique<InOrder>(options.test, options); };
  return run(options, trainer, classes, training, make_testing, start, profile);
}

/// One step on one batch while the queue fills. Before that, the network makes a step on noise, so
/// that libtorch's own memory does not count.
void measure_one_batch(const Options& options, Trainer& trainer) {
  const auto cold = pss_bytes();
  const ExactBatch noise(torch::rand({options.micro_batch, 3, options.side, options.side}),
                         torch::zeros({options.micro_batch}, torch::kInt64));
  trainer.step(noise, options.micro_batch);
  const auto before = pss_bytes();
  std::uint64_t after = 0, peak = 0;
  double sum = 0;
  const auto use = [&](const auto& batch) {
    for (std::int64_t i = 0; i < batch.size(); ++i)
      sum += batch.images(i, 1).to(torch::kFloat64).sum().template item<double>();
    trainer.step(batch, options.micro_batch);
  };
  const auto measure = [&](auto& feed) {
    const PssWatch watch;
    feed.one(use, [&] {
      wait_until_still();
      after = pss_bytes();
    });
    peak = watch.peak();
  };
  if (options.by_weir) {
    WeirFeed feed(weir::image_folder(options.train), options, false, 1000);
    measure(feed);
  } else {
    const auto files = weir::image_folder(options.train).size();
    const auto needed = static_cast<std::uint64_t>((options.queue + 2) * options.batch);
    InOrder feed(options.train, options, needed / files + 1);
    measure(feed);
  }
  std::printf(
      "{\"pss_cold\": %llu, \"pss_before\": %llu, \"pss_peak\": %llu, \"pss_after\": %llu, "
      "\"sum\": %.6f}\n",
      static_cast<unsigned long long>(cold), static_cast<unsigned long long>(before),
      static_cast<unsigned long long>(peak), static_cast<unsigned long long>(after), sum);
}

/// The full report.
int tell(const Options& options, const Data& data) {
  auto& memory = *new weir::CountingResource;  // never destroyed: libtorch keeps tensors
  count_tensors(memory);
  auto trainer = make_trainer(options, data.classes.size());
  const auto error = check_gradients(options, trainer, data.classes.size());
  const bool same = error <= 1e-10;
  std::printf(
      "gradients of %lld images in parts of %lld differ from those of the whole by %.1e%s\n\n",
      static_cast<long long>(options.batch), static_cast<long long>(options.micro_batch), error,
      same ? "" : ": TOO MUCH");

  weir::MemoryProfile profile;
  profile.watch("tensors", memory);
  const auto ledger = std::make_shared<weir::MemoryLedger>(std::nullopt);
  if (options.by_weir) profile.watch("weir", *ledger);
  const auto trained = train(options, trainer, data.classes, &profile, ledger);
  std::printf("\n%s\n%s\n%s\n", trained.curve.text().c_str(), trained.confusion.c_str(),
              profile.text().c_str());
  std::printf("%s, %s input: %.1f s, test accuracy %.1f %% (chance: %.1f %%)\n",
              options.by_weir ? "weir" : "libtorch's DataLoader",
              options.bfloat16 ? "bfloat16" : "float32", trained.seconds, trained.accuracy,
              100.0 / static_cast<double>(data.classes.size()));
  if (!options.csv.empty()) trained.curve.write_csv(options.csv);
  if (!options.svg.empty()) trained.curve.write_svg(options.svg);
  if (!options.profile.empty()) {
    std::ofstream out(options.profile);
    profile.write_json(out);
  }
  return same && trained.accuracy >= options.at_least ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  auto options = parse(argc, argv);
  if (options.threads > 0) torch::set_num_threads(static_cast<int>(options.threads));
  const Data data(options);
  if (!options.measure) return tell(options, data);
  auto trainer = make_trainer(options, data.classes.size());
  if (options.one_batch) {
    measure_one_batch(options, trainer);
  } else {
    const auto trained = train(options, trainer, data.classes, nullptr, nullptr);
    std::printf("{\"seconds\": %.6f, \"accuracy\": %.4f, \"sum\": %.6f}\n", trained.seconds,
                trained.accuracy, trained.sum);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
