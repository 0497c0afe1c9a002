// docs/guide/cap-the-memory.md, "A cache for several loaders": training and validation take turns,
// on one ledger and with one store of decoded rows.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <weir/weir.hpp>

namespace {

constexpr std::uint64_t mib = 1ull << 20;

/// Takes the place of a step of the trainer.
std::uint64_t use(const weir::Batch& batch) { return batch.size(); }

/// What the loader holds, without the index of its source and weir's own records.
std::uint64_t held(const weir::Loader& loader) {
  const auto memory = loader.snapshot().memory;
  return memory.live - memory[weir::Account::index];
}

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

  weir::Loader training(training_images, train), validation(validation_images, options);
  std::uint64_t rows = 0, most_at_rest = 0;
  auto validations = validation.epochs(3, {.rest = true});
  for (auto epoch : training.epochs(3)) {
    for (weir::Batch& batch : epoch) {
      rows += use(batch);
      if (batch.last_of_epoch()) most_at_rest = std::max(most_at_rest, held(validation));
    }
    for (weir::Batch& batch : validations.next()) rows += use(batch);
    std::printf("epoch %llu: the store holds %llu samples in %llu bytes\n",
                static_cast<unsigned long long>(epoch.number()),
                static_cast<unsigned long long>(store->stats().samples),
                static_cast<unsigned long long>(store->stats().bytes));
  }
  std::printf("between its epochs the validation loader held %llu bytes and its index\n",
              static_cast<unsigned long long>(most_at_rest));
  const auto hits = training.report().cache.hits + validation.report().cache.hits;
  const bool kept = store->stats().samples == 400 && hits >= 700;
  const bool bounded = ledger->snapshot().peak <= 64 * mib && most_at_rest < 64 * 1024;
  return rows == 1200 && kept && bounded ? 0 : 1;
}
