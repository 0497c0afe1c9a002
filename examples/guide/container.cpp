// docs/guide/cap-the-memory.md: a budget from the limit of a container.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
#include <weir/weir.hpp>

namespace {

constexpr std::uint64_t mib = 1ull << 20;

}  // namespace

int main() {
  std::vector<float> model(20 * mib, 1.0f);  // the trainer: 80 MiB
  weir::Options options{.shape = {128, 128},
                        .order = weir::Order::shuffle(),
                        .workers = 4,
                        .queue = {.max_queue_size = 256},
                        .memory = {.max_sample_bytes = 8 * mib}};

  const std::uint64_t limit = 256 * mib;  // docker run --memory 256m
  const std::uint64_t trainer = weir::process_memory().rss;
  const std::uint64_t threads = options.workers + options.io.read_ahead;
  const std::uint64_t taken = trainer + 4 * mib + threads * 80 * 1024;
  options.memory.budget_bytes = limit > taken ? limit - taken : 0;

  weir::Loader loader(weir::synthetic(6'000, {120, 160}), options);
  std::uint64_t rows = 0, most = 0;
  auto stream = loader.stream();
  for (weir::Batch& batch : stream) {
    if (batch.sequence() == 1) stream.settle();  // the queue is as full as the budget allows
    if (batch.sequence() < 2) most = std::max(most, weir::process_memory().rss);
    rows += batch.size();
    model[batch.sequence()] += static_cast<float>(batch.pixel_bytes()[0]);
  }
  std::printf("limit %llu MiB, trainer %llu, budget %llu, used by the process %llu\n",
              static_cast<unsigned long long>(limit / mib),
              static_cast<unsigned long long>(trainer / mib),
              static_cast<unsigned long long>(*options.memory.budget_bytes / mib),
              static_cast<unsigned long long>(most / mib));
  return rows == 6'000 && most <= limit ? 0 : 1;
}
