#include "proof/shadow/run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "contract/stopping/process.hpp"
#include "proof/configurations/images.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

namespace weir::test::shadow {
namespace {

// Slabs of 4 and the memory of decoding such an image are below the size from which the library
// maps pages. So the accountant knows the requested bytes exactly.
constexpr std::uint32_t side = 64;
constexpr std::uint64_t log_keeps = 1000;

const std::vector<Bytes>& plain_images() {
  static const std::vector<Bytes> files{make_jpeg(side, side, false), make_jpeg(side, side, true),
                                        Bytes(2000, std::byte{'x'})};
  return files;
}

/// Without the last one, which is not an image, unless faults are requested.
std::vector<const Bytes*> plain_files(bool faults) {
  std::vector<const Bytes*> all;
  for (const auto& file : plain_images()) all.push_back(&file);
  if (!faults) all.pop_back();
  return all;
}

std::vector<const Bytes*> mixed_files() {
  std::vector<const Bytes*> all;
  for (std::size_t kind = 0; kind < kind_count; ++kind) {
    for (const auto& image : images_of(static_cast<Kind>(kind))) all.push_back(&image);
  }
  return all;
}

/// Sample i is one file until the fixed memory has been measured, and another one after that.
class Switching {
 public:
  Switching(Data data, const std::atomic<bool>& learnt)
      : plain_(plain_files(data == Data::mixed)),
        data_(data == Data::mixed ? mixed_files() : plain_),
        has_planes_(data == Data::planes),
        learnt_(&learnt) {}
  std::uint64_t size() const { return 1009; }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    const auto& files = learnt_->load(std::memory_order_relaxed) ? data_ : plain_;
    const auto read = [&](std::uint64_t number) {
      const auto& file = *files[number % files.size()];
      const auto bytes = sink.take(file.size());
      std::copy(file.begin(), file.end(), bytes.begin());
      return bytes;
    };
    Encoded sample{.bytes = read(i)};
    if (!has_planes_) return sample;
    (void)sample.planes.add(i % 5 == 0 ? EncodedPlanes::Plane()
                                       : EncodedPlanes::Plane(read(i + 1)));
    sample.annotation = sample.bytes.first(static_cast<std::size_t>(i % 40));
    return sample;
  }
  std::vector<std::string> planes() const {
    return has_planes_ ? std::vector<std::string>{"mask"} : std::vector<std::string>();
  }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  std::vector<const Bytes*> plain_, data_;
  bool has_planes_;
  const std::atomic<bool>* learnt_;
};

/// The plain files on a disk, read with weir's own reader.
AnySource folder() {
  static const test::TemporaryFolder root;
  for (int i = 0; i < 64; ++i)
    root.write(std::to_string(i) + ".img", *plain_files(false)[static_cast<std::size_t>(i % 2)]);
  return image_folder(root.string());
}

/// A worker may be between freeing a block and discharging it. Polls until both agree, for 20 s at
/// most. Allocates nothing, because the heap is watched.
Instant at_rest(Stream& stream, const MemoryLedger& ledger, const Heap& fixed) {
  stream.settle();
  auto now = look(ledger);
  for (int i = 0; i < 400'000 && now.heap.all != fixed.all + now.books; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    now = look(ledger);
  }
  return now;
}

Heap learn(Stream& stream, const Loader& loader, const MemoryLedger& ledger, Data data) {
  const auto faults = [&] { return loader.report().fault_count; };
  for (std::uint32_t n = 0; n < 300 || (data == Data::mixed && faults() < log_keeps); ++n) {
    (void)stream.next();
    if (n % 50 == 0) stream.settle();
  }
  stream.settle();
  // A worker may still be on its way to sleep.
  until(others_asleep, "the loader's threads to sleep");
  const auto now = look(ledger);
  return {now.heap.all - now.books, now.heap.large > now.books ? now.heap.large - now.books : 0};
}

void stream_through(Loader& loader, const MemoryLedger& ledger, const Load& load,
                    std::atomic<bool>& learnt, Ran& ran) {
  auto stream = loader.stream({.epochs = std::nullopt});
  ran.fixed = learn(stream, loader, ledger, load.data);
  learnt.store(true);
  watch(ledger, ran.fixed);
  for (std::uint64_t n = 0;; ++n) {
    (void)stream.next();
    if (n % 64 != 0) continue;
    const auto now = at_rest(stream, ledger, ran.fixed);
    const auto held = now.heap.all - ran.fixed.all;
    ++ran.rests;
    ran.short_by = std::max(ran.short_by, held > now.books ? held - now.books : 0);
    ran.apart = std::max(ran.apart, held < now.books ? now.books - held : 0);
    // If the budget is no longer tight, there are few allocations. Then the number of batches ends the run.
    if (events() >= load.events || n > load.events) break;
  }
  ran.verdict = stop_watching();
}

}  // namespace

Ran run(const Load& load) {
  Ran ran;
  std::atomic<bool> learnt{false};
  Options options;
  options.shape = {side, side};
  options.fit = Fit::stretch;
  options.batch = 4;
  options.order = weir::Order::shuffle();
  options.workers = load.workers;
  options.queue.max_queue_size = load.max_queue_size;
  options.io.read_ahead = load.read_ahead;
  options.faults.policy = OnFault::blank;
  if (load.data == Data::planes) {
    options.planes = {{.name = "mask", .pixels = PixelFormat::grey8, .optional = true}};
    options.annotation_bytes = 40;
  }
  options.memory.max_sample_bytes = load.data == Data::mixed ? 3 << 20 : 200 << 10;
  const auto source =
      load.data == Data::folder ? folder() : AnySource(Switching(load.data, learnt));
  ran.budget = resolve(options, source.index_bytes()).floor_bytes + load.spare;
  const auto ledger = options.memory.ledger = std::make_shared<MemoryLedger>(ran.budget);
  ran.heap_before = look(*ledger).heap.all;
  {
    Loader loader(source, options);
    stream_through(loader, *ledger, load, learnt, ran);
  }
  const auto after = look(*ledger);
  ran.heap_after = after.heap.all;
  ran.books_after = after.books;
  ran.peak = ledger->snapshot().peak;
  return ran;
}

/// OpenCV's state for a thread that has resized: up to 1.2 KB were measured, with version 4.6.
constexpr std::uint64_t opencv_bytes = 2048;

std::uint64_t passing_bytes(const Load& load) {
  constexpr std::uint64_t refusal = 129, words = 1024;
  const std::uint64_t threads = load.workers + load.read_ahead;
  return load.data == Data::mixed ? threads * words + load.workers * opencv_bytes
                                  : threads * refusal;
}

std::pair<std::uint64_t, std::uint64_t> folder_index() {
  (void)folder();
  const MemoryLedger none(0);
  const auto before = look(none).heap.all;
  const auto source = folder();
  return {look(none).heap.all - before, source.index_bytes()};
}

void check(const Load& load, const Ran& ran) {
  CAPTURE(static_cast<int>(load.data), load.workers, load.read_ahead, load.spare);
  CHECK(ran.verdict.events >= load.events);
  CHECK(ran.verdict.worst_large <= 0);
  CHECK(ran.verdict.worst_all <= static_cast<std::int64_t>(passing_bytes(load)));
  // The comparison must have been able to fail: at some event the books were exact within 1 KiB.
  CHECK(ran.verdict.worst_large > -1024);
  CHECK(ran.rests > 0);
  CHECK(ran.peak <= ran.budget);
  CHECK(ran.books_after == 0);
  if (load.data == Data::mixed) {
    // OpenCV keeps its state of ended threads.
    CHECK(ran.heap_after <= ran.heap_before + load.workers * opencv_bytes);
  } else {
    CHECK(ran.apart == 0);
    CHECK(ran.short_by == 0);
    CHECK(ran.heap_after == ran.heap_before);
  }
  CHECK(ran.short_by <= load.workers * opencv_bytes);
}

}  // namespace weir::test::shadow
