// The distribution of the focal loss over a data set too large for memory: images are streamed, and
// one number for each sample is kept. After figure 4 of the RetinaNet paper: cumulative share of
// loss against share of samples.
//   focal_loss [FOLDER] [--alpha A] [--positive LABEL] [--images N] [--epochs N] [--batch N]
//              [--budget BYTES] [--csv FILE] [--svg FILE] [--at-least RATIO]
// FOLDER has one folder for each class. Without it the images are synthetic. --budget bounds loader and
// example together. --at-least: fail unless keeping all images takes this many times the memory of streaming.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "focal/memory.hpp"
#include "focal/output.hpp"
#include "focal/scores.hpp"

namespace {

using namespace focal;

struct Settings {
  std::string folder{}, csv{}, svg{};
  double alpha = 0.25, at_least = 0;
  std::int64_t positive = 0;
  std::uint64_t images = 2'000, epochs = 2;
  std::optional<std::uint64_t> budget{};
  std::uint32_t batch = 32;
};

Settings parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("--")) {
      settings.folder = word;
      continue;
    }
    if (++i == argc) throw std::invalid_argument(word + " needs a value");
    const std::string value = argv[i];
    std::istringstream in(value);
    bool known = true;
    if (word == "--alpha")
      in >> settings.alpha;
    else if (word == "--at-least")
      in >> settings.at_least;
    else if (word == "--positive")
      in >> settings.positive;
    else if (word == "--images")
      in >> settings.images;
    else if (word == "--epochs")
      in >> settings.epochs;
    else if (word == "--batch")
      in >> settings.batch;
    else if (word == "--budget")
      in >> settings.budget.emplace();
    else if (word == "--csv")
      settings.csv = value;
    else if (word == "--svg")
      settings.svg = value;
    else
      known = false;
    if (!known) throw std::invalid_argument("no such option: " + word);
    if (!in) throw std::invalid_argument(word + ' ' + value + ": not a valid number");
  }
  if (!(settings.alpha >= 0 && settings.alpha <= 1))
    throw std::invalid_argument(fmt::format("--alpha {}: from 0 to 1", settings.alpha));
  if (settings.epochs == 0) throw std::invalid_argument("--epochs 0: at least 1");
  return settings;
}

/// The images are the same for all callers. Order and batch size are parameters.
weir::Loader make_loader(const Settings& settings, bool shuffle, std::uint32_t batch,
                         std::shared_ptr<weir::MemoryLedger> ledger = nullptr) {
  weir::Options options{.shape = {32, 32},
                        .fit = weir::Fit::stretch,
                        .order = weir::Order::shuffle(shuffle),
                        .batch = batch};
  options.memory.budget_bytes = settings.budget;
  options.memory.ledger = std::move(ledger);
  return weir::Loader(settings.folder.empty() ? weir::synthetic(settings.images, {36, 36}, 1)
                                              : weir::image_folder(settings.folder),
                      options);
}

Classifier train(const Settings& settings) {
  auto loader = make_loader(settings, true, settings.batch);
  const auto values = static_cast<std::size_t>(loader.plan().row_values());
  const auto classes = std::max<std::size_t>(loader.class_names().size(), 2);
  const weir::Converter<float> convert(normalize);
  std::vector<float> images(settings.batch * values);
  Classifier model(values, 1.0 / static_cast<double>(classes));
  std::vector<double> loss(settings.epochs);
  for (const weir::Batch& batch : loader.stream({.epochs = settings.epochs})) {
    const auto part = convert(batch, images);
    loss[batch.epoch()] += model.learn(part, batch.labels(), settings.positive, 0.002F);
  }
  const auto batches = static_cast<double>(loader.batches_per_epoch());
  fmt::print("logistic regression, mean cross entropy in each epoch:");
  for (const auto sum : loss) fmt::print(" {:.3f}", sum / batches);
  fmt::print("\n");
  return model;
}

struct Run {
  Curves curves{};
  weir::MemorySnapshot memory{};
};

template <class Score>
Run run(const Settings& settings, const Classifier& model, bool shuffle, std::uint32_t batch,
        Score score) {
  const auto ledger = std::make_shared<weir::MemoryLedger>(settings.budget);
  Run result;
  {
    auto loader = make_loader(settings, shuffle, batch, ledger);
    OnTheBooks memory(*ledger);
    const auto scores = score(loader, model, settings.positive, memory);
    result.curves = curves_of(scores, settings.alpha, memory);
  }
  result.memory = ledger->snapshot();
  return result;
}

template <weir::Element T>
Run stream(const Settings& settings, const Classifier& model) {
  return run(settings, model, true, settings.batch, score_streamed<T>);
}

/// Keeps all images, in another order and in other batches. Empty if they do not fit the budget.
std::optional<Run> at_once(const Settings& settings, const Classifier& model) try {
  return run(settings, model, false, 2 * settings.batch + 1, score_at_once<float>);
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

/// The largest error of a logit whose input and output have the precision T. Keeps nothing of a sample.
template <weir::Element T>
double logit_error(const Settings& settings, const Classifier& model) {
  auto loader = make_loader(settings, false, settings.batch);
  const auto values = static_cast<std::size_t>(loader.plan().row_values());
  const weir::Converter<float> exact(normalize);
  const weir::Converter<T> reduced(normalize);
  std::vector<float> wide(values);
  std::vector<T> narrow(values);
  double largest = 0;
  for (const weir::Batch& batch : loader.stream())
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      exact(batch.slice(row, 1), wide);
      reduced(batch.slice(row, 1), narrow);
      const float a = model.logit(std::span<const float>(wide));
      const float b = weir::widen(weir::narrow<T>(model.logit(std::span<const T>(narrow))));
      largest = std::max(largest, static_cast<double>(std::fabs(a - b)));
    }
  return largest;
}

/// Compares totals and every point of every curve.
bool same_bits(const Curves& a, const Curves& b) {
  const auto same = [](const Curve& x, const Curve& y) {
    return x.total == y.total && x.share == y.share;
  };
  for (std::size_t c = 0; c < 2; ++c)
    if (a.samples[c] != b.samples[c] || a.zeros[c] != b.zeros[c] ||
        !std::equal(a.of[c].begin(), a.of[c].end(), b.of[c].begin(), same))
      return false;
  return true;
}

void write(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::binary);
  if (!(file << text << std::flush)) throw std::runtime_error("cannot write " + path);
}

}  // namespace

int main(int argc, char** argv) try {
  const auto settings = parse(argc, argv);
  const auto model = train(settings);
  const auto exact = stream<float>(settings, model);
  const auto half = stream<weir::float16>(settings, model);
  const auto brain = stream<weir::bfloat16>(settings, model);
  const auto whole = at_once(settings, model);
  const auto& curves = exact.curves;
  if (curves.samples[0] == 0 || curves.samples[1] == 0)
    throw std::invalid_argument(
        fmt::format("--positive {}: {} positives and {} negatives, at least one of each is needed",
                    settings.positive, curves.samples[1], curves.samples[0]));

  print_losses(curves, settings.alpha);
  fmt::print("\ncompared with float32, positives / negatives");
  print_errors(half.curves, curves, "float16", logit_error<weir::float16>(settings, model));
  print_errors(brain.curves, curves, "bfloat16", logit_error<weir::bfloat16>(settings, model));

  fmt::print("\n{:>22} {:>14} {:>14} {:>14}\n", "bytes at the peak", "together", "loader",
             "example");
  print_memory("streamed, float32", exact.memory);
  print_memory("streamed, float16", half.memory);
  print_memory("streamed, bfloat16", brain.memory);
  if (whole) print_memory("at once, float32", whole->memory);
  fmt::print(
      "streaming holds a logit and the class of each sample, a loss while it makes a curve, and "
      "one "
      "batch of images\n");

  write(settings.csv, csv_header() + csv(curves, "float32", settings.alpha) +
                          csv(half.curves, "float16", settings.alpha) +
                          csv(brain.curves, "bfloat16", settings.alpha));
  write(settings.svg,
        picture(curves,
                fmt::format("Share of the loss that the easiest samples have, α = {}, logistic "
                            "regression on images of 32×32.",
                            settings.alpha)));
  if (!whole) {
    fmt::print("\nat once: the images do not fit in {} bytes\n", settings.budget.value_or(0));
    return settings.at_least > 0 ? 1 : 0;
  }
  const bool same = same_bits(curves, whole->curves);
  const auto ratio =
      static_cast<double>(whole->memory.peak) / static_cast<double>(exact.memory.peak);
  fmt::print(
      "\nstreamed and at once agree to the last bit: {}; at once takes {:.1f} times the memory\n",
      same ? "yes" : "NO", ratio);
  return same && ratio >= settings.at_least ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "focal_loss: %s\n", error.what());
  return 1;
}
