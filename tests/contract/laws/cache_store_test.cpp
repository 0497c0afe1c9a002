// The laws where several loaders share a CacheStore.
#include <thread>

#include "contract/laws/various.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// A source and the number of its reads.
struct Tallied {
  explicit Tallied(AnySource source) : images(Reader{std::move(source), reads}) {}

  struct Reader {
    AnySource source;
    std::shared_ptr<std::atomic<std::uint64_t>> reads;
    std::uint64_t size() const { return source.size(); }
    std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
      auto encoded = source.try_read(i, sink);
      if (encoded) ++*reads;
      return encoded;
    }
    std::string name(std::uint64_t i) const { return source.name(i); }
    std::uint64_t index_bytes() const { return 0; }
  };
  std::shared_ptr<std::atomic<std::uint64_t>> reads =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  AnySource images;
};

constexpr std::uint64_t budget = 32 << 20;

/// Loaders on one ledger with one store.
struct Sharing {
  explicit Sharing(std::uint64_t most = 8 << 20)
      : store(std::make_shared<CacheStore>(ledger, most)) {}
  std::shared_ptr<MemoryLedger> ledger = std::make_shared<MemoryLedger>(budget);
  std::shared_ptr<CacheStore> store;

  Options options(Cache keep) const {
    auto options = small_options();
    options.order = Order::shuffle();
    options.faults.policy = OnFault::skip;
    options.memory.max_sample_bytes = 1 << 20;
    options.memory.ledger = ledger;
    options.cache = {.keep = keep, .shared = store};
    return options;
  }
};

Options without_cache(Options options) {
  options.memory.ledger = nullptr;
  options.cache = {};
  return options;
}

struct Ran {
  Log log;
  Report report;
};

Ran run(const AnySource& images, const Options& options, std::uint64_t epochs = 1) {
  Loader loader(images, options);
  auto log = drain(loader, {.epochs = epochs});
  return {std::move(log), loader.report()};
}

/// One epoch of a loader of its own: it must equal that without a cache, and have so many hits.
void check_epoch(const AnySource& images, const Options& options, std::uint64_t hits) {
  const auto [log, report] = run(images, options);
  CHECK(log == run(images, without_cache(options)).log);
  CHECK(report.cache.hits == hits);
  CHECK(report.memory[Account::cache] == 0);  // it is the store's
}

}  // namespace

TEST_CASE("a store outlives its loaders and the next one reads nothing", "[law][cache]") {
  const auto keep = GENERATE(Cache::encoded, Cache::decoded);
  const Sharing sharing;
  const Tallied source(synthetic(40, {24, 28}, 11));
  const auto options = sharing.options(keep);
  check_epoch(source.images, options, 0);
  const auto held = sharing.store->stats();
  CHECK(held.samples == 40);
  CHECK(held.bytes == sharing.ledger->snapshot().live);
  CHECK(held.bytes == sharing.ledger->snapshot()[Account::cache]);
  const auto reads = source.reads->load();
  check_epoch(source.images, options, 40);
  CHECK(*source.reads == reads + 40);  // of the reference without a cache
  // Workers, queue, order and seed do not matter.
  auto other = options;
  other.workers = 1;
  other.io.read_ahead = 4;
  other.seed = 9;
  other.order = Order::sequential();
  check_epoch(source.images, other, 40);
}

TEST_CASE("other options have other entries in one store", "[law][cache]") {
  const Sharing sharing;
  const Tallied source(synthetic(24, {24, 28}, 11));
  auto options = sharing.options(Cache::decoded);
  check_epoch(source.images, options, 0);
  const auto changed = [&](const char* what, const std::function<void(Options&)>& change) {
    CAPTURE(what);
    auto other = options;
    change(other);
    check_epoch(source.images, other, 0);
    check_epoch(source.images, other, 24);
  };
  changed("shape", [](Options& o) { o.shape = {8, 20}; });
  changed("fit", [](Options& o) { o.fit = Fit::letterbox; });
  changed("short_side", [](Options& o) { o.short_side = 17; });
  changed("filter", [](Options& o) { o.filter = Filter::antialiased; });
  changed("flip", [](Options& o) { o.flip.horizontal = 1; });
  changed("fill", [](Options& o) { o.fill = {0, 0, 1}; });
  changed("decode", [](Options& o) { o.decode = Decode::fast; });
  changed("exif", [](Options& o) { o.exif = Exif::ignore; });
  changed("annotation_bytes", [](Options& o) { o.annotation_bytes = 3; });
  changed("limits", [](Options& o) { o.limits.max_pixels = 1 << 20; });
  changed("strict", [](Options& o) { o.faults.strict = false; });
  changed("encoded", [](Options& o) { o.cache.keep = Cache::encoded; });
  check_epoch(source.images, options, 24);
  // Encoded samples do not depend on how they are decoded.
  options.cache.keep = Cache::encoded;
  options.shape = {9, 9};
  check_epoch(source.images, options, 24);
}

TEST_CASE("windows of another seed have other entries in one store", "[law][cache]") {
  const Sharing sharing;
  const auto images = synthetic(24, {24, 28}, 11);
  auto options = sharing.options(Cache::decoded);
  options.window = {.choose =
                        [](const WindowInput& input, Random& random) {
                          return Window{.source = {random.uniform(0, 9), 0, 12,
                                                   static_cast<double>(input.image.height)}};
                        },
                    .name = "test",
                    .same_each_epoch = true};
  check_epoch(images, options, 0);
  ++options.seed;
  check_epoch(images, options, 0);
  check_epoch(images, options, 24);
}

TEST_CASE("another source has other entries, whatever its names", "[law][cache]") {
  const auto keep = GENERATE(Cache::encoded, Cache::decoded);
  const Sharing sharing;
  const auto one = synthetic(20, {24, 28}, 1), two = synthetic(20, {24, 28}, 2);
  const auto other_labels = relabelled(
      one,
      {{0, 10}, {1, 11}, {2, 12}, {3, 13}, {4, 14}, {5, 15}, {6, 16}, {7, 17}, {8, 18}, {9, 19}});
  const auto options = sharing.options(keep);
  for (const auto& images : {one, two, other_labels, split(one, 4).training}) {
    check_epoch(images, options, 0);
    check_epoch(images, options, images.size());
  }
}

TEST_CASE("the next loader frees the samples of a source that is gone", "[law][cache]") {
  const Sharing sharing;
  const auto options = sharing.options(Cache::decoded);
  run(synthetic(20, {24, 28}, 1), options);
  CHECK(sharing.store->stats().samples == 20);
  const auto lasting = synthetic(10, {24, 28}, 1);
  run(lasting, options);
  CHECK(sharing.store->stats().samples == 10);
  CHECK(sharing.store->stats().bytes == sharing.ledger->snapshot()[Account::cache]);
}

TEST_CASE("a store keeps to its bound, over all its loaders", "[law][cache]") {
  const auto keep = GENERATE(Cache::encoded, Cache::decoded);
  const Sharing sharing(40'000);
  const auto training = synthetic(60, {24, 28}, 1), validation = synthetic(30, {24, 28}, 2);
  const auto options = sharing.options(keep);
  CHECK(sharing.store->max_bytes() == 40'000);
  for (int epoch = 0; epoch < 2; ++epoch)
    for (const auto& images : {training, validation}) {
      const auto [log, report] = run(images, options);
      CHECK(log == run(images, without_cache(options)).log);
      CHECK(report.plan.cache.shared);
      CHECK(report.plan.cache.bytes == 40'000);
      CHECK(sharing.store->stats().bytes <= 40'000);
      CHECK(sharing.store->stats().bytes == sharing.ledger->snapshot()[Account::cache]);
      if (epoch == 1 && images.size() == 60) CHECK(report.cache.hits > 0);
    }
  // A table that does not fit.
  const auto tiny = std::make_shared<CacheStore>(sharing.ledger, 100);
  auto cramped = options;
  cramped.cache.shared = tiny;
  const auto report = run(training, cramped).report;
  CHECK(report.plan.cache.bytes == 0);
  CHECK_THAT(report.plan.cache.note,
             has_text("its table of 480 bytes does not fit into the store"));
}

TEST_CASE("training and validation at once, in a store that gives way", "[law][cache]") {
  const auto keep = GENERATE(Cache::encoded, Cache::decoded);
  const auto images = synthetic(200, {60, 80}, 3);
  const auto parts = split(images, 4);
  const auto &training = parts.training, &validation = parts.hold_out;
  const Sharing sharing(600'000);
  auto train = sharing.options(keep), validate = sharing.options(keep);
  validate.order = Order::sequential();
  train.io.read_ahead = 3;
  const auto wanted = run(training, without_cache(train), 3).log,
             wanted_too = run(validation, without_cache(validate), 3).log;
  std::atomic<bool> done{false};
  Log log, log_too;
  {
    Loader one(training, train), two(validation, validate);
    // Takes all bytes that nobody is promised, so that the store must evict.
    std::jthread trainer([&] {
      const auto room = budget - sharing.ledger->promised() - (1 << 20);
      while (!done) {
        (void)sharing.ledger->try_charge(Account::scratch, room);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
    std::jthread other([&] { log_too = drain(two, {.epochs = 3}); });
    log = drain(one, {.epochs = 3});
    other.join();
    done = true;
  }
  CHECK(log == wanted);
  CHECK(log_too == wanted_too);
  CHECK(sharing.ledger->snapshot().peak <= budget);
  CHECK(sharing.store->stats().bytes == sharing.ledger->snapshot()[Account::cache]);
  CHECK(sharing.store->stats().bytes <= 600'000);
}

TEST_CASE("two loaders of one source fill one cache together", "[law][cache]") {
  const auto images = synthetic(120, {24, 28}, 3);
  const Sharing sharing;
  const auto options = sharing.options(GENERATE(Cache::encoded, Cache::decoded));
  auto backwards = options;
  backwards.seed = 5;
  Ran one, two;
  {
    const std::jthread other([&] { two = run(images, backwards, 2); });
    one = run(images, options, 2);
  }
  CHECK(one.log == run(images, without_cache(options), 2).log);
  CHECK(two.log == run(images, without_cache(backwards), 2).log);
  CHECK(sharing.store->stats().samples == 120);
  CHECK(one.report.cache.hits + two.report.cache.hits >= 200);
}

TEST_CASE("a smaller max_sample_bytes gives its faults, kept or not", "[law][cache]") {
  const auto keep = GENERATE(Cache::encoded, Cache::decoded);
  const Sharing sharing;
  const AnySource images = Various({{20, 20}, {90, 90}, {20, 20}, {90, 90}, {20, 20}, {20, 20}});
  auto options = sharing.options(keep);
  options.faults.policy = OnFault::blank;
  options.order = Order::sequential();
  CHECK(run(images, options).report.fault_count == 0);
  options.memory.max_sample_bytes = measure_sample_bytes(subset(images, {0, 2, 4, 5}), options);
  const auto small = run(images, options);
  CHECK(small.report.fault_count == 2);
  CHECK(small.log == run(images, without_cache(options)).log);
}

TEST_CASE("a store serves images that keep their own sizes", "[law][cache][sizes]") {
  const auto keep = GENERATE(Cache::encoded, Cache::decoded);
  const Sharing sharing;
  const AnySource images = Various(drawn_sizes(40, 60, 2), {11}, {3});
  auto options = own_size_options(1);
  options.order = Order::shuffle();
  options.faults.policy = OnFault::skip;
  options.memory.max_sample_bytes = 256 << 10;
  options.memory.ledger = sharing.ledger;
  options.cache = {.keep = keep, .shared = sharing.store};
  for (const bool bounded : {false, true}) {
    if (bounded) options.sizes.max_height = 30;
    for (int again = 0; again < 2; ++again) {
      const auto [log, report] = run(images, options);
      CHECK(log == run(images, without_cache(options)).log);
      if (again == 1) CHECK(report.cache.hits > 30);
      if (again == 0 && keep == Cache::decoded) CHECK(report.cache.hits <= 4);
    }
  }
}

TEST_CASE("what a store cannot do is refused by name", "[law][cache]") {
  const auto ledger = std::make_shared<MemoryLedger>(budget);
  CHECK_THROWS_WITH(CacheStore(nullptr, 5), has_text("ledger is null"));
  CHECK_THROWS_WITH(CacheStore(ledger, 0), has_text("max_bytes = 0"));
  auto options = small_options();
  options.cache.shared = std::make_shared<CacheStore>(ledger, 1 << 20);
  CHECK_THROWS_WITH(resolve(options, 0), has_text("`cache.shared`: with `cache.keep` = nothing"));
  options.cache.keep = Cache::encoded;
  CHECK(resolve(options, 0).cache.bytes == 1 << 20);
  CHECK(resolve(options, 0).ceiling_bytes == resolve(without_cache(options), 0).ceiling_bytes);
  options.cache.max_bytes = 5;
  CHECK_THROWS_WITH(resolve(options, 0), has_text("`cache.max_bytes` = 5: with `cache.shared`"));
}
