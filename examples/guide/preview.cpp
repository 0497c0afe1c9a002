// docs/guide/epochs-and-requests.md: one image now. While a training runs, a second loader gives
// single images at another size, from the same budget and the same cache.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <weir/weir.hpp>

int main() {
  const auto images = weir::synthetic(300, {240, 320});
  const auto ledger = std::make_shared<weir::MemoryLedger>(24ull << 20);
  const auto store = std::make_shared<weir::CacheStore>(ledger, 12ull << 20);
  weir::Loader training(images, {.shape = {112, 112},
                                 .order = weir::Order::shuffle(),
                                 .queue = {.max_queue_size = 16},
                                 .memory = {.max_sample_bytes = 2 << 20, .ledger = ledger},
                                 .cache = {.keep = weir::Cache::encoded, .shared = store}});
  weir::Loader camera(images, {.shape = {240, 320},
                               .fit = weir::Fit::stretch,
                               .batch = 1,
                               .workers = 1,
                               .queue = {.max_queue_size = 1},
                               .memory = {.max_sample_bytes = 2 << 20, .ledger = ledger},
                               .cache = {.keep = weir::Cache::encoded, .shared = store}});

  using milliseconds = std::chrono::duration<double, std::milli>;
  milliseconds longest{0};
  std::uint64_t trained = 0, shown = 0, late = 0;
  auto previews = camera.requests();
  for (auto epoch : training.epochs(2)) {
    for (weir::Batch& batch : epoch) {
      trained += batch.size();
      const auto begun = std::chrono::steady_clock::now();
      previews.ask({batch.indices()[0]});
      const auto preview = previews.next(std::chrono::seconds(2));
      if (!preview) {
        ++late;
        continue;
      }
      longest = std::max(longest, milliseconds(std::chrono::steady_clock::now() - begun));
      shown += preview->indices()[0] == batch.indices()[0] ? 1u : 0u;
    }
  }
  const auto hits = camera.report().cache.hits;
  std::printf("%llu images trained, %llu previews, %llu cached, %llu late; %llu of %llu bytes\n",
              static_cast<unsigned long long>(trained), static_cast<unsigned long long>(shown),
              static_cast<unsigned long long>(hits), static_cast<unsigned long long>(late),
              static_cast<unsigned long long>(ledger->snapshot().peak),
              static_cast<unsigned long long>(ledger->budget().value_or(0)));
  std::printf("the longest wait for a preview was %.1f ms\n", longest.count());
  return trained == 600 && shown == 20 && hits == 20 && late == 0 ? 0 : 1;
}
