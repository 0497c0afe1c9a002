// docs/guide/cap-the-memory.md: a budget, its accounts, a cache, and two loaders under one budget.
#include <cstdio>
#include <memory>
#include <optional>
#include <weir/weir.hpp>

namespace {

constexpr std::uint64_t mib = 1ull << 20;

/// Prints the current bytes by account.
void print(const weir::MemorySnapshot& memory) {
  for (std::size_t i = 0; i < weir::account_count; ++i) {
    const auto account = static_cast<weir::Account>(i);
    if (memory[account] > 0)
      std::printf("  %-8s %10llu bytes\n", weir::to_string(account).data(),
                  static_cast<unsigned long long>(memory[account]));
  }
  std::printf("  live %llu, peak %llu, budget %llu\n", static_cast<unsigned long long>(memory.live),
              static_cast<unsigned long long>(memory.peak),
              static_cast<unsigned long long>(memory.budget.value_or(0)));
}

}  // namespace

int main() {
  const auto images = weir::synthetic(300, {240, 320});
  const weir::Options wish{.shape = {128, 128},
                           .order = weir::Order::shuffle(),
                           .batch = 32,
                           .queue = {.max_queue_size = 20},
                           .memory = {.budget_bytes = 24 * mib}};

  weir::Loader loader(images, wish);
  const weir::Plan& plan = loader.plan();
  std::printf("requested a queue of %u, got %u; one slot is %llu bytes\n",
              plan.max_queue_size_requested, plan.max_queue_size,
              static_cast<unsigned long long>(plan.slab_bytes));
  for (weir::Batch& batch : loader.stream()) {
    if (batch.sequence() != 3) continue;
    print(loader.snapshot().memory);
    for (const weir::HeldLease& lease : loader.ledger().leases())
      std::printf("  batch %llu, %llu bytes, held by %s\n",
                  static_cast<unsigned long long>(lease.sequence),
                  static_cast<unsigned long long>(lease.bytes), lease.holder.data());
  }

  weir::Options tight = wish;
  tight.memory.budget_bytes = 1 * mib;
  try {
    weir::resolve(tight, images.index_bytes());
  } catch (const weir::Error& error) {
    std::printf("refused: %s\n", error.what());
  }

  weir::Options kept = wish;
  kept.workers = 2;
  kept.queue.max_queue_size = 4;
  kept.memory.budget_bytes = 48 * mib;
  kept.memory.max_sample_bytes = weir::ByteBound::measured;
  kept.cache.keep = weir::Cache::encoded;
  weir::Loader again(images, kept);
  std::uint64_t rows = 0;
  for (weir::Batch& batch : again.stream({.epochs = 3})) rows += batch.size();
  const weir::CacheStats cache = again.report().cache;
  std::printf("%llu of %llu samples were not read again, for %llu bytes\n",
              static_cast<unsigned long long>(cache.hits), static_cast<unsigned long long>(rows),
              static_cast<unsigned long long>(cache.bytes));

  const auto ledger = std::make_shared<weir::MemoryLedger>(48 * mib);
  weir::Options train = wish, validate = wish;
  train.memory.ledger = validate.memory.ledger = ledger;
  train.queue.max_queue_size = 4;
  validate.order = weir::Order::sequential();
  validate.queue.max_queue_size = 2;
  weir::Loader training(images, train), validation(images, validate);
  std::uint64_t seen = 0;
  for (weir::Batch& batch : training.stream()) seen += batch.size();
  for (weir::Batch& batch : validation.stream()) seen += batch.size();
  std::printf("two loaders, one budget:\n");
  print(ledger->snapshot());
  return seen == 600 && cache.hits == 600 && ledger->snapshot().peak <= 48 * mib ? 0 : 1;
}
