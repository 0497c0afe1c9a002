// docs/guide/cap-the-memory.md, "A cache for several loaders": training and validation take turns,
// on one ledger and with one store of decoded rows.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <weir/weir.hpp>

namespace {

constexpr std::uint64_t mib = 1ull << 20;

/// Takes the place of a step of the trainer.
std::uint64_t use(const weir::Batch& batch) { return batch.size(); }

}  // namespace

int main() {
  const auto [training_images, validation_images] = weir::split(weir::synthetic(400, {96, 128}), 8);
  const auto ledger = std::make_shared<weir::MemoryLedger>(64 * mib);
  const auto store = std::make_shared<weir::CacheStore>(ledger, 32 * mib);
  weir::Options options{.shape = {64, 64},
                        .batch = 25,
                        .workers = 2,
                        .memory = {.max_sample_bytes = 1 * mib, .ledger = ledger},
                        .cache = {.keep = weir::Cache::decoded, .shared = store}};
  weir::Options train = options;
  train.order = weir::Order::shuffle();

  weir::Loader training(training_images, train);
  std::uint64_t rows = 0, hits = 0, rest = 0;
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    for (weir::Batch& batch : training.stream({.first_epoch = epoch, .epochs = epoch + 1}))
      rows += use(batch);
    {
      weir::Loader validation(validation_images, options);
      for (weir::Batch& batch : validation.stream()) rows += use(batch);
      hits += validation.report().cache.hits;
    }
    // What is left of the validation loader between its epochs: nothing but its kept samples.
    rest = ledger->snapshot().live - training.snapshot().memory.live - store->stats().bytes;
    std::printf(
        "epoch %llu: the store holds %llu samples in %llu bytes, the validation loader %llu\n",
        static_cast<unsigned long long>(epoch),
        static_cast<unsigned long long>(store->stats().samples),
        static_cast<unsigned long long>(store->stats().bytes),
        static_cast<unsigned long long>(rest));
  }
  hits += training.report().cache.hits;
  const bool kept = store->stats().samples == 400 && hits == 800;
  const bool bounded = ledger->snapshot().peak <= 64 * mib && rest < 64 * 1024;
  return rows == 1200 && kept && bounded ? 0 : 1;
}
