#include <cstring>
#include <deque>
#include <functional>
#include <memory_resource>
#include <thread>
#include <utility>
#include <vector>

#include "books/book.hpp"
#include "buffer/sample_cache.hpp"
#include "contract/stopping/process.hpp"
#include "support/catch.hpp"
#include "support/found.hpp"
#include "support/sanitized.hpp"
#include "support/waker.hpp"

using namespace weir;
using namespace weir::test;
using buffer::SampleCache;

namespace {

constexpr std::uint64_t few_samples = 10;

/// Heap memory that calls `meanwhile` during the second allocation. That is the first segment,
/// because the table comes before it.
class Meanwhile final : public std::pmr::memory_resource {
 public:
  std::function<void()> meanwhile = [] {};

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (++asked_ == 2) meanwhile();
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(data, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
  std::atomic<int> asked_{0};
};

/// Heap memory that stays mapped for a while after its end, overwritten but for the first bytes.
class Overwritten final : public std::pmr::memory_resource {
 public:
  static constexpr std::size_t kept = 512;  ///< headers

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override {
    if (bytes > kept) std::memset(static_cast<std::byte*>(data) + kept, 0xdd, bytes - kept);
    freed_.push_back({data, bytes, alignment});
    if (freed_.size() > 64) drop();
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
  void drop() {
    const auto [data, bytes, alignment] = freed_.front();
    std::pmr::new_delete_resource()->deallocate(data, bytes, alignment);
    freed_.pop_front();
  }
  struct Freed {
    void* data;
    std::size_t bytes, alignment;
  };
  std::deque<Freed> freed_;

 public:
  ~Overwritten() override {
    while (!freed_.empty()) drop();
  }
};

struct Kept {
  std::shared_ptr<books::Ledger> ledger = std::make_shared<books::Ledger>(1 << 20);
  std::shared_ptr<books::Book> book =
      std::make_shared<books::Book>(ledger, books::ShareLimits{0, 0, 100, UINT64_MAX, 2, 4});
  std::shared_ptr<Meanwhile> memory = std::make_shared<Meanwhile>();
  SampleCache cache{book, {.keep = Cache::encoded, .bytes = 1 << 20}, few_samples, 0, memory};

  void keep(std::uint64_t index) {
    const std::vector<std::byte> bytes(1000, static_cast<std::byte>(index));
    cache.keep({.index = index, .data = {.bytes = bytes}});
  }
};

/// Keeps `index` on a separate thread, which sleeps behind the one that makes a segment.
std::jthread keeper(Kept& kept, std::uint64_t index) {
  std::atomic<pid_t> thread{0};
  std::jthread keeps([&kept, &thread, index] {
    thread = this_thread();
    kept.keep(index);
  });
  until([&] { return thread != 0 && asleep(thread); }, "the other to wait");
  return keeps;
}

}  // namespace

TEST_CASE("who waited for a segment finds room in it", "[buffer][cache]") {
  Kept kept;
  std::jthread other;
  kept.memory->meanwhile = [&] { other = keeper(kept, 4); };
  kept.keep(3);
  other.join();
  CHECK(Found(kept.cache, 3));
  CHECK(Found(kept.cache, 4));
  CHECK(kept.cache.figures().samples == 2);
}

TEST_CASE("of two who keep the same sample one does, and it goes as one", "[buffer][cache]") {
  Kept kept;
  std::jthread other;
  kept.memory->meanwhile = [&] { other = keeper(kept, 3); };
  kept.keep(3);
  other.join();
  kept.keep(3);  // already kept
  CHECK(kept.cache.figures().samples == 1);
  CHECK(Found(kept.cache, 3));
  while (kept.cache.evict()) {
  }
  CHECK(kept.cache.figures().evicted == 1);
  CHECK(kept.book->snapshot().memory.live == 0);
}

TEST_CASE("a segment that comes when all else has gone is not kept", "[buffer][cache]") {
  Kept kept;
  kept.memory->meanwhile = [&] {
    while (kept.cache.evict()) {
    }
  };
  kept.keep(3);
  CHECK_FALSE(Found(kept.cache, 3));
  CHECK(kept.book->snapshot().memory.live == 0);
  kept.keep(3);
  CHECK(Found(kept.cache, 3));
}

TEST_CASE("who lets go of a sample wakes who waits for bytes", "[buffer][cache]") {
  Kept kept;
  kept.keep(3);
  const auto waker = std::make_shared<Waker>();
  kept.book->begin_stream(waker);
  Found hold(kept.cache, 3), second(kept.cache, 3);
  REQUIRE_FALSE(kept.book->try_charge_slab(1 << 20));
  const auto woken = waker->count;
  hold.release();
  CHECK(waker->count == woken + 1);
  CHECK_FALSE(kept.cache.evict());
  second.release();
  CHECK(waker->count == woken + 2);
  CHECK(kept.cache.evict());
  kept.book->end_stream();
}

TEST_CASE("no sample is freed while it is searched for", "[buffer][cache]") {
  const auto ledger = std::make_shared<books::Ledger>(1 << 20);
  const auto book =
      std::make_shared<books::Book>(ledger, books::ShareLimits{0, 0, 100, UINT64_MAX, 2, 4});
  SampleCache cache(book, {.keep = Cache::encoded, .bytes = 4000}, few_samples, 0,
                    std::make_shared<Overwritten>());
  const std::vector<std::byte> bytes(2000, std::byte{7});
  std::atomic<bool> ends{false};
  std::atomic<std::uint64_t> found{0}, wrong{0};
  std::jthread reader([&] {
    SampleCache::Hold hold;
    while (!ends) {
      if (!cache.find(3, hold)) continue;
      ++found;
      const auto kept = hold.sample().data.bytes;
      wrong += static_cast<std::uint64_t>(std::ranges::count(kept, std::byte{0xdd}));
      hold.release();
    }
  });
  for (std::uint64_t i = 0, most = thinned(40'000); i < most || found == 0; ++i) {
    cache.keep({.index = 3, .data = {.bytes = bytes}});
    while (cache.evict()) {
    }
  }
  ends = true;
  reader.join();
  CHECK(wrong == 0);
}
