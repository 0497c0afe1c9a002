#pragma once

#include <torch/cuda.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace resnet_gpu {

struct Options {
  std::string folder;  ///< of class folders; empty: synthetic images
  std::uint64_t images = 1024, repeat = 1;
  std::string device = torch::cuda::is_available() ? "cuda" : "cpu";
  bool deep = false, pinned = true, cached = false;
  std::uint32_t batch = 256, side = 224, workers = 0, queue = 8, prefetch = 2;
  std::uint64_t epochs = 5;
  double learning_rate = 0.05;
  std::string measure;  ///< the value to measure; empty: the network is trained
  double seconds = 5, warm = 2;

  bool copies_only() const { return measure == "copy" || measure == "bare"; }
};

/// Exits if the arguments are wrong or request help.
inline Options parse(int argc, char** argv) {
  Options options;
  CLI::App app("ResNet-18 in bfloat16 and channels last, fed by weir::device_batches.");
  app.add_option("FOLDER", options.folder, "folder of class folders; without it images are made");
  app.add_option("--images", options.images, "number of synthetic images")->capture_default_str();
  app.add_option("--repeat", options.repeat, "repeat the images of the folder");
  app.add_option("--device", options.device)->capture_default_str();
  app.add_flag("--deep", options.deep, "ResNet-50");
  app.add_flag("--pinned,!--pageable", options.pinned, "slabs are page-locked; default: pinned");
  app.add_flag("--cached", options.cached,
               "centre crops, kept decoded from epoch to epoch, in place of random ones");
  app.add_option("--batch", options.batch)->capture_default_str();
  app.add_option("--side", options.side, "images become N x N")->capture_default_str();
  app.add_option("--workers", options.workers, "threads that decode; 0: one for each core");
  app.add_option("--queue", options.queue, "batches in host memory")->capture_default_str();
  app.add_option("--prefetch", options.prefetch, "batches on the device")->capture_default_str();
  app.add_option("--epochs", options.epochs)->capture_default_str();
  app.add_option("--learning-rate", options.learning_rate)->capture_default_str();
  app.add_option("--measure", options.measure,
                 "print one line of JSON for train; copy (no network); bare (the same bytes, no "
                 "loader); alone (the network on one batch); or normalise (the same, from uint8)")
      ->check(CLI::IsMember({"train", "copy", "bare", "alone", "normalise"}));
  app.add_option("--seconds", options.seconds, "length of the measurement")->capture_default_str();
  app.add_option("--warm", options.warm, "seconds of warm-up before")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

}  // namespace resnet_gpu
