#include "options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

namespace trainer {

Options parse(int argc, char** argv) {
  Options options;
  CLI::App app(
      "A small ResNet with GroupNorm, trained on images by weir or by libtorch's DataLoader.");
  app.add_option("TRAIN", options.train, "folder of class folders; without it images are made");
  app.add_option("TEST", options.test, "the same, for evaluation");
  std::string feed = "weir";
  app.add_option("--feed", feed)->check(CLI::IsMember({"weir", "libtorch"}))->capture_default_str();
  const auto number = [&](const char* name, std::int64_t& value, const char* what,
                          std::int64_t least = 1) {
    app.add_option(name, value, what)
        ->check(CLI::Range(least, std::int64_t{1} << 30))
        ->capture_default_str();
  };
  number("--side", options.side, "images become N x N", 8);
  number("--batch", options.batch, "images between two steps of the optimizer");
  number("--micro-batch", options.micro_batch, "images in one forward and backward pass");
  number("--epochs", options.epochs, "");
  number("--width", options.width, "channels of the first stage, a multiple of 8", 8);
  number("--blocks", options.blocks, "residual blocks in each of the three stages");
  number("--queue", options.queue, "weir's max_queue_size, libtorch's max_jobs");
  number("--workers", options.workers, "threads that decode");
  number("--threads", options.threads, "of libtorch's arithmetic; 0: its default", 0);
  app.add_option("--learning-rate", options.learning_rate)
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of weights and order")->capture_default_str();
  app.add_option("--at-least", options.at_least, "fail below this accuracy, in percent");
  app.add_flag("--bfloat16", options.bfloat16, "the network gets bfloat16");
  app.add_option("--csv", options.csv, "write the loss of each step");
  app.add_option("--svg", options.svg, "draw the loss of each step");
  app.add_option("--profile", options.profile, "write memory by phase as JSON, for `weir page`");
  app.add_flag("--measure", options.measure, "print one line of JSON: seconds, accuracy");
  app.add_flag("--one-batch", options.one_batch,
               "with --measure: PSS before, during and after one batch");
  try {
    app.parse(argc, argv);
    options.by_weir = feed == "weir";
    if (options.train.empty() != options.test.empty())
      throw CLI::ValidationError("TRAIN and TEST go together");
    if (options.width % 8 != 0) throw CLI::ValidationError("--width: not a multiple of 8");
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

}  // namespace trainer
