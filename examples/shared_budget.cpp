// Two streams under one budget: training and validation. Each prefetches while the other is consumed.
//   shared_budget [TRAIN TEST] [--epochs N] [--budget BYTES]
// Trains twice: first with as much memory as both loaders request, then with both loaders on one
// ledger with a smaller budget. The model is the same to the bit; the memory is not. Without
// folders the images are synthetic. Without --budget the budget is 60 % of what both held together.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

#include "softmax.hpp"

namespace {

constexpr weir::ImageSize shape{32, 32};
constexpr std::uint32_t batch_size = 100;
using Ull = unsigned long long;

/// Both loaders differ only in their queues. max_sample_bytes is set because its default depends on
/// the budget, and the refusal of large samples must not.
weir::Options options_for(bool training, const std::shared_ptr<weir::MemoryLedger>& ledger) {
  return {.shape = shape,
          .fit = weir::Fit::stretch,
          .order = weir::Order::shuffle(training),
          .batch = batch_size,
          .workers = 1,
          .queue = {.max_queue_size = training ? 12U : 8U},
          .memory = {.max_sample_bytes = 256 << 10, .ledger = ledger},
          .seed = 1};
}

struct Sources {
  weir::AnySource training, validation;
};

/// The result of a run, which must not depend on memory, and its memory.
struct Outcome {
  std::vector<double> losses, accuracies;
  std::uint64_t training_peak = 0, validation_peak = 0, peak = 0, queued = 0;
  friend bool same_learning(const Outcome& a, const Outcome& b) {
    return a.losses == b.losses && a.accuracies == b.accuracies;
  }
};

Outcome run(const Sources& sources, std::uint64_t epochs, std::optional<std::uint64_t> budget) {
  const auto ledger = std::make_shared<weir::MemoryLedger>(budget);
  // Each loader's floor is reserved when it is made, so neither can starve the other.
  weir::Loader training(sources.training, options_for(true, ledger));
  weir::Loader validation(sources.validation, options_for(false, ledger));
  if (training.class_names() != validation.class_names() || training.class_names().empty())
    throw std::runtime_error("TRAIN and TEST must hold the same class folders");
  // Both streams run all the time: while one is consumed, the other fills its queue.
  auto learn_from = training.stream({.epochs = epochs});
  auto judge_by = validation.stream({.epochs = epochs});

  Softmax model(weir::image_values(shape, weir::PixelFormat::rgb8), training.class_names().size());
  const weir::Converter<float> to_float({{0.5, 0.5, 0.5}, {0.25, 0.25, 0.25}});
  std::vector<float> floats(batch_size * weir::image_values(shape, weir::PixelFormat::rgb8));

  Outcome outcome;
  std::printf("%5s %9s %11s %16s %16s %16s\n", "epoch", "loss", "accuracy", "training holds",
              "validation holds", "both hold");
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    double loss = 0;
    for (std::uint64_t n = 0; n < training.batches_per_epoch(); ++n) {
      const auto batch = learn_from.next();
      const float rate = 0.003F * (1.0F - static_cast<float>(epoch) / static_cast<float>(epochs));
      loss += model.learn(to_float(*batch, floats), batch->labels(), rate);
    }
    std::uint64_t right = 0;
    for (std::uint64_t n = 0; n < validation.batches_per_epoch(); ++n) {
      const auto batch = judge_by.next();
      right += model.count_right(to_float(*batch, floats), batch->labels());
    }
    outcome.losses.push_back(loss / static_cast<double>(training.batches_per_epoch()));
    outcome.accuracies.push_back(100 * static_cast<double>(right) /
                                 static_cast<double>(validation.size()));
    std::printf("%5llu %9.4f %9.1f %% %16llu %16llu %16llu\n", static_cast<Ull>(epoch),
                outcome.losses.back(), outcome.accuracies.back(),
                static_cast<Ull>(training.snapshot().memory.live),
                static_cast<Ull>(validation.snapshot().memory.live),
                static_cast<Ull>(ledger->snapshot().live));
  }
  outcome.training_peak = training.snapshot().memory.peak;
  outcome.validation_peak = validation.snapshot().memory.peak;
  outcome.peak = ledger->snapshot().peak;
  outcome.queued = training.plan().max_queue_size + validation.plan().max_queue_size;
  return outcome;
}

void print_peaks(const char* name, const Outcome& outcome) {
  std::printf("%-24s %14llu %14llu %14llu %8llu\n", name, static_cast<Ull>(outcome.training_peak),
              static_cast<Ull>(outcome.validation_peak), static_cast<Ull>(outcome.peak),
              static_cast<Ull>(outcome.queued));
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<std::string> folders;
  std::uint64_t epochs = 3, budget = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    if (word == "--epochs" && i + 1 < argc) {
      epochs = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--budget" && i + 1 < argc) {
      budget = std::strtoull(argv[++i], nullptr, 10);
    } else {
      folders.emplace_back(word);
    }
  }
  if ((!folders.empty() && folders.size() != 2) || epochs == 0) {
    std::fprintf(stderr, "usage: %s [TRAIN TEST] [--epochs N] [--budget BYTES]\n", argv[0]);
    return 2;
  }
  const bool real = !folders.empty();
  const Sources sources{real ? weir::image_folder(folders[0]) : weir::synthetic(1'200, {36, 36}, 1),
                        real ? weir::image_folder(folders[1]) : weir::synthetic(600, {36, 36}, 2)};

  std::printf("without a bound\n");
  const auto unbounded = run(sources, epochs, std::nullopt);
  if (budget == 0) budget = unbounded.peak * 6 / 10;
  std::printf("\none budget of %llu bytes\n", static_cast<Ull>(budget));
  const auto bounded = run(sources, epochs, budget);

  std::printf("\n%-24s %14s %14s %14s %8s\n", "most bytes held by", "training", "validation",
              "both at once", "queues");
  print_peaks("without a bound", unbounded);
  print_peaks("one budget", bounded);
  const bool same = same_learning(unbounded, bounded);
  std::printf("%s\n", same ? "the models are equal to the bit" : "the models DIFFER");
  return same && bounded.peak <= budget ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
