#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

namespace peers {

inline constexpr double mean[] = {0.485, 0.456, 0.406}, stddev[] = {0.229, 0.224, 0.225};

/// The command line of every peer program; see README.md.
struct Task {
  std::string folder;
  bool random = false;
  std::size_t size = 224, batch = 64, queue = 4, epochs = 1;
  double consumer_ms = 0;
  std::size_t workers = 2;

  std::size_t short_side() const { return (size * 256 + 112) / 224; }
  std::size_t plane() const { return size * size; }
  std::size_t values() const { return 3 * plane(); }

  static Task parse(int argc, char** argv) {
    if (argc < 9) {
      std::fprintf(stderr,
                   "usage: %s FOLDER center|random SIZE BATCH QUEUE EPOCHS CONSUMER_MS WORKERS\n",
                   argv[0]);
      std::exit(2);
    }
    const auto number = [&](int i) { return static_cast<std::size_t>(std::stoul(argv[i])); };
    return {argv[1],
            argv[2] == std::string("random"),
            number(3),
            number(4),
            number(5),
            number(6),
            std::stod(argv[7]),
            number(8)};
  }
};

/// Takes the place of the trainer: reads a few values of each batch, sleeps, and counts. The clock
/// starts with the first batch, whose samples are not counted.
class Consumer {
 public:
  explicit Consumer(const Task& task) : task_(task) {}

  /// `value(i)` is the i-th of the batch's normalised values, in any layout.
  template <class Value>
  void take(std::size_t samples, Value value) {
    constexpr std::size_t step = 1009;
    double sum = 0;
    std::size_t seen = 0;
    for (std::size_t i = 0; i < samples * task_.values(); i += step, ++seen) sum += value(i);
    sum_ += sum;
    seen_ += seen;
    if (!started_) {
      started_ = true;
      start_ = Clock::now();
    } else {
      samples_ += samples;
    }
    if (task_.consumer_ms > 0)
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(task_.consumer_ms));
  }
  void take_floats(std::size_t samples, const float* values) {
    take(samples, [values](std::size_t i) { return static_cast<double>(values[i]); });
  }
  void report() const {
    const std::chrono::duration<double> spent = Clock::now() - start_;
    std::printf("{\"samples\": %zu, \"seconds\": %.6f, \"checksum\": %.6f}\n", samples_,
                spent.count(), sum_ / static_cast<double>(seen_));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Task task_;
  bool started_ = false;
  Clock::time_point start_{};
  std::size_t samples_ = 0, seen_ = 0;
  double sum_ = 0;
};

}  // namespace peers
