#pragma once

#include <cstdint>
#include <string>

namespace trainer {

/// The command line's options. Both feeds get the same.
struct Options {
  std::string train, test;  ///< folders of class folders; empty: images are made
  bool by_weir = true;      ///< or with libtorch's own DataLoader
  std::int64_t side = 32;   ///< images become side x side
  std::int64_t batch = 50, micro_batch = 25, epochs = 5, width = 16, blocks = 1;
  std::int64_t queue = 4, workers = 2, threads = 0;
  bool bfloat16 = false;
  double learning_rate = 0.05;
  std::uint64_t seed = 1;
  double at_least = 0;            ///< accuracy, in percent
  bool measure = false;           ///< one line of JSON; nothing is profiled
  bool one_batch = false;         ///< with measure: memory of a run of one batch, instead of time
  std::string csv, svg, profile;  ///< files to write; empty: none

  /// The whole image for small ones; for photographs the usual crop, 224 of 256.
  std::int64_t short_side() const { return side > 64 ? side * 256 / 224 : side; }
};

/// Exits if the arguments are wrong or request help.
Options parse(int argc, char** argv);

}  // namespace trainer
