// The roofline: threads that open, read, decode what the crop needs and resize, without order,
// queue and books. The bare loop is that of `./dev bench`. QUEUE and CONSUMER_MS have no effect.
#include "bare_jpeg.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <vector>

#include "task.hpp"

using namespace peers;

int main(int argc, char** argv) {
  const Task task = Task::parse(argc, argv);
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(task.folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  const auto side = static_cast<std::uint32_t>(task.size);
  const weir::codec::FitSpec spec{{side, side},
                                  task.random ? weir::Fit::random : weir::Fit::center,
                                  static_cast<std::uint32_t>(task.short_side())};
  const std::size_t all = files.size() * task.epochs;
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  Consumer consumer(task);
  std::vector<std::thread> loops;
  for (std::size_t t = 0; t < task.workers; ++t) {
    loops.emplace_back([&] {
      weir::bench::BareJpeg bare(spec);
      std::vector<std::byte> encoded;
      std::vector<std::uint8_t> rows(task.batch * task.values());
      std::size_t filled = 0;
      const auto hand_over = [&] {
        const std::lock_guard lock(mutex);
        consumer.take(
            filled, [&](std::size_t i) { return (rows[i] / 255. - mean[i % 3]) / stddev[i % 3]; });
        filled = 0;
      };
      for (std::size_t i = next++; i < all; i = next++) {
        bare.roi(weir::bench::read_file(files[i % files.size()], encoded), i,
                 &rows[filled * task.values()]);
        if (++filled == task.batch) hand_over();
      }
      if (filled > 0) hand_over();
    });
  }
  for (auto& loop : loops) loop.join();
  consumer.report();
}
