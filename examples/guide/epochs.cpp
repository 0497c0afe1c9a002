// docs/guide/epochs-and-requests.md: epochs one can see. Training and validation share one budget
// and one cache, and between its epochs the validation loader rests.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <weir/weir.hpp>

namespace {

/// What the loader holds, without the index of its source and weir's own records.
std::uint64_t held(const weir::Loader& loader) {
  const auto memory = loader.snapshot().memory;
  return memory.live - memory[weir::Account::index];
}

/// Takes the place of a network.
struct Network {
  std::uint64_t trained = 0, evaluated = 0;
  void learn(const weir::Batch& batch) { trained += batch.size(); }
  void evaluate(const weir::Batch& batch) { evaluated += batch.size(); }
};

}  // namespace

int main() {
  const auto ledger = std::make_shared<weir::MemoryLedger>(32ull << 20);
  const auto store = std::make_shared<weir::CacheStore>(ledger, 8ull << 20);
  weir::Options options{.shape = {96, 96},
                        .fit = weir::Fit::random,
                        .order = weir::Order::shuffle(),
                        .memory = {.ledger = ledger},
                        .cache = {.keep = weir::Cache::encoded, .shared = store}};
  weir::Loader training(weir::synthetic(400, {120, 160}), options);
  options.fit = weir::Fit::center;
  options.order = weir::Order::sequential();
  options.cache.keep = weir::Cache::decoded;
  weir::Loader validation(weir::synthetic(100, {120, 160}), options);

  Network network;
  std::uint64_t most = 0;
  auto validations = validation.epochs({.epochs = std::nullopt}, {.rest = true});
  for (auto epoch : training.epochs(3)) {
    for (weir::Batch& batch : epoch) {
      network.learn(batch);
      if (batch.last_of_epoch()) most = std::max(most, held(validation));
    }
    for (weir::Batch& batch : validations.next()) network.evaluate(batch);
    std::printf("after epoch %llu training holds %llu bytes, validation %llu\n",
                static_cast<unsigned long long>(epoch.number()),
                static_cast<unsigned long long>(held(training)),
                static_cast<unsigned long long>(held(validation)));
    most = std::max(most, held(validation));
  }
  const auto trained = training.report().cache.hits, evaluated = validation.report().cache.hits;
  std::printf("%llu images trained, %llu of them cached; %llu evaluated, %llu of them cached\n",
              static_cast<unsigned long long>(network.trained),
              static_cast<unsigned long long>(trained),
              static_cast<unsigned long long>(network.evaluated),
              static_cast<unsigned long long>(evaluated));
  const bool all = network.trained == 1200 && network.evaluated == 300;
  return all && trained == 800 && evaluated == 200 && most < 64 << 10 ? 0 : 1;
}
